"use strict";
// Filters whose state is in the address, folding, and tables that sort and copy. Without this
// script everything is unfolded and in its place.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const form = document.querySelector("#filters");
  const claims = all("details.claim");
  document.documentElement.classList.add("scripted");
  const untested = all("details.untested");
  claims.forEach((claim) => { claim.open = false; });

  const state = () => new URLSearchParams(location.hash.startsWith("#?") ? location.hash.slice(2) : "");

  function matches(claim, wanted) {
    const text = claim.dataset.text;
    const words = (wanted.get("q") || "").toLowerCase().split(/\s+/).filter(Boolean);
    const has = (key) => !wanted.get(key)
      || wanted.get(key).split("|").some((one) => claim.dataset[key].split("|").includes(one));
    return words.every((word) => text.includes(word))
      && ["verdict", "chapter", "section", "kind", "reading", "rests"].every(has);
  }

  function apply() {
    const wanted = state();
    const active = [...wanted.values()].some(Boolean);
    let shown = 0;
    claims.forEach((claim) => {
      const found = matches(claim, wanted);
      claim.closest("li").hidden = active && !found;
      shown += found;
    });
    all("main > section").forEach((section) => {
      const some = all("li:not([hidden]) > details.claim", section).length;
      section.classList.toggle("without-match", active && !some);
    });
    all(".map a").forEach((cell) => {
      const claim = document.getElementById(cell.hash.slice(1));
      cell.classList.toggle("faded", active && claim.closest("li").hidden);
    });
    untested.forEach((fold) => { fold.open = active; });
    document.body.classList.toggle("filtered", active);
    document.querySelector("#found").textContent = active ? `${shown} of ${claims.length} claims` : "";
    if (form) {
      for (const field of form.elements) if (field.name) field.value = wanted.get(field.name) || "";
      document.querySelector("#rests").textContent = wanted.get("rests") ? `resting on ${wanted.get("rests")}` : "";
    }
  }

  function remember() {
    const wanted = state();
    for (const field of form.elements) {
      if (!field.name) continue;
      if (field.value) wanted.set(field.name, field.value); else wanted.delete(field.name);
    }
    history.replaceState(null, "", String(wanted) ? `#?${wanted}` : location.pathname + location.search);
    const active = document.activeElement;
    apply();
    active.focus();
  }

  function goTo() {
    const claim = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (claim && claim.matches("details.claim")) {
      claim.closest("li").hidden = false;
      claim.open = true;
      const fold = claim.closest("details.untested");
      if (fold) fold.open = true;
      claim.scrollIntoView({ block: "center" });
    } else if (claim) {
      claim.scrollIntoView(); // a filter may have hidden it
    }
  }

  if (form) {
    form.addEventListener("input", remember);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => {
      history.replaceState(null, "", location.pathname + location.search);
      setTimeout(apply);
    });
  }
  addEventListener("hashchange", () => { apply(); goTo(); });

  // A cell's number, or its words where it has none: "37.93 [37.1, 38.7]" is 37.93. A time in words
  // brings its seconds.
  const value = (cell) => {
    const words = cell.dataset.value ?? cell.textContent;
    const text = words.trim().replaceAll("\u2212", "-").replaceAll(",", "");
    const number = Number.parseFloat(text);
    return Number.isNaN(number) ? text : number;
  };

  all("main table").forEach((table) => {
    const heads = all("thead tr:last-child th", table);
    const body = table.tBodies[0];
    const order = [...body.rows];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const was = head.getAttribute("aria-sort");
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        const now = { null: "ascending", ascending: "descending" }[was];
        if (!now) { body.append(...order); return; }
        head.setAttribute("aria-sort", now);
        const sign = now === "ascending" ? 1 : -1;
        const rows = [...order].sort((one, other) => {
          const [a, b] = [value(one.cells[column]), value(other.cells[column])];
          const alike = typeof a === typeof b;
          return sign * (alike ? (a < b ? -1 : Number(a > b)) : typeof a === "number" ? -1 : 1);
        });
        body.append(...rows);
      });
    });
    const links = table.closest(".card")?.querySelector("p.links");
    if (!links || !navigator.clipboard) return;
    const copy = document.createElement("button");
    copy.textContent = "copy as CSV";
    copy.addEventListener("click", () => {
      const quoted = (cell) => `"${cell.textContent.trim().replaceAll('"', '""')}"`;
      const lines = [...table.tHead.rows, ...body.rows].map((row) =>
        [...row.cells].flatMap((cell) => [quoted(cell), ...Array(cell.colSpan - 1).fill(quoted(cell))]));
      navigator.clipboard.writeText(lines.map((cells) => cells.join(",")).join("\n"))
        .then(() => { copy.textContent = "copied"; }, () => { copy.textContent = "not allowed here"; });
    });
    links.append(copy);
  });

  // Curves that are switched off and on by name.
  all("figure").forEach((figure) => {
    const parts = all("[data-curve]", figure);
    const names = [...new Set(parts.map((part) => part.dataset.curve))];
    if (names.length < 2) return;
    const bar = document.createElement("div");
    bar.className = "curves";
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", "Curves shown");
    names.forEach((name) => {
      const button = document.createElement("button");
      button.textContent = name;
      button.setAttribute("aria-pressed", "true");
      button.addEventListener("click", () => {
        const off = button.getAttribute("aria-pressed") === "true";
        button.setAttribute("aria-pressed", String(!off));
        parts.filter((part) => part.dataset.curve === name)
          .forEach((part) => part.classList.toggle("off", off));
      });
      bar.append(button);
    });
    figure.querySelector("figcaption").before(bar);
  });

  // On a telephone the contents would fill the first screen.
  const wide = matchMedia("(min-width: 1100px)");
  const fold = () => { document.querySelector("nav.side details").open = wide.matches; };
  wide.addEventListener("change", fold);
  fold();
  const glossary = document.querySelector("details.glossary");
  if (glossary) glossary.open = false;

  // The part of the list that is being read.
  const links = new Map(all("nav.side a").map((link) => [link.hash.slice(1), link]));
  const seen = new IntersectionObserver((entries) => {
    entries.filter((entry) => entry.isIntersecting).forEach((entry) => {
      links.forEach((link) => link.removeAttribute("aria-current"));
      links.get(entry.target.id)?.setAttribute("aria-current", "true");
    });
  }, { rootMargin: "0px 0px -70% 0px" });
  all("main h2[id]").forEach((heading) => seen.observe(heading));

  apply();
  if (location.hash && !location.hash.startsWith("#?")) goTo();
})();
