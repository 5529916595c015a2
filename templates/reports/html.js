"use strict";
(() => {
  const form = document.getElementById("filters");
  if (!form) return;
  const box = document.getElementById("shown");
  const nothing = document.getElementById("nothing");
  const issues = Array.from(document.querySelectorAll(".issue"), (node) => ({
    node, keys: node.dataset.k.split(" "), text: null, group: node.parentElement, section: node.closest(".issues"),
  }));
  const groups = Array.from(document.querySelectorAll(".file"));
  const others = document.getElementById("not-counted");
  let timer = 0;

  function wanted() {
    const facets = new Map();
    for (const input of form.querySelectorAll("input:checked")) {
      if (!facets.has(input.name)) facets.set(input.name, new Set());
      facets.get(input.name).add(input.dataset.key);
    }
    return Array.from(facets.values());
  }

  function matches(issue, facets, words) {
    if (!facets.every((keys) => issue.keys.some((key) => keys.has(key)))) return false;
    if (!words.length) return true;
    issue.text ??= issue.node.textContent.toLowerCase();
    return words.every((word) => issue.text.includes(word));
  }

  function apply() {
    const facets = wanted();
    const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    const alive = new Set();
    let count = 0;
    for (const issue of issues) {
      const shown = matches(issue, facets, words);
      if (issue.node.hidden === shown) issue.node.hidden = !shown;
      if (shown) {
        count += 1;
        alive.add(issue.group).add(issue.section);
      }
    }
    for (const group of groups) group.hidden = !alive.has(group);
    if (others) others.hidden = !alive.has(others);
    nothing.hidden = count > 0;
    const all = issues.length;
    const filtered = facets.length > 0 || words.length > 0;
    box.textContent = filtered ? `${count} of ${all} shown` : all === 1 ? "1 issue" : `${all} issues`;
  }

  function remember() {
    const kept = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (value) kept.append(name, value);
    const state = kept.toString();
    if (state || location.hash.includes("=")) {
      history.replaceState(null, "", location.href.split("#")[0] + (state && `#${state}`));
    }
  }

  function recall() {
    const hash = location.hash.slice(1);
    if (hash && !hash.includes("=")) {
      const target = document.getElementById(hash);
      if (target && target.closest("[hidden]")) {
        form.reset();
        target.scrollIntoView();
      }
      return;
    }
    const kept = new URLSearchParams(hash);
    for (const input of form.querySelectorAll("input[type=checkbox]")) {
      input.checked = kept.getAll(input.name).includes(input.value);
    }
    form.elements.q.value = kept.get("q") ?? "";
    apply();
  }

  function changed() {
    clearTimeout(timer);
    apply();
    remember();
  }

  form.addEventListener("change", changed);
  form.addEventListener("input", (event) => {
    if (event.target.type !== "search") return;
    clearTimeout(timer);
    timer = setTimeout(changed, 150);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    changed();
  });
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    for (const input of form.querySelectorAll("input")) {
      if (input.type === "checkbox") input.checked = false;
      else input.value = "";
    }
    changed();
  });
  addEventListener("hashchange", recall);

  let folded = [];
  addEventListener("beforeprint", () => {
    folded = Array.from(document.querySelectorAll("main details:not([open])"));
    for (const details of folded) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of folded) details.open = false;
  });

  const filters = form.querySelector("details");
  if (filters) filters.open = matchMedia("(min-width: 56rem)").matches;
  form.hidden = false;
  recall();
})();
