"use strict";
for (const kernel of document.querySelectorAll("[data-kernel]")) {
  const status = kernel.querySelector(".status");
  const lists = [...kernel.querySelectorAll(".lines")];
  const told = status.textContent;
  const linked = (list) => [...list.querySelectorAll("[data-k]")];
  const keysOf = (line) => line.dataset.k.split(" ");
  // One stop for the Tab key in each list; the arrows move within it.
  const makeStop = (line) => {
    for (const other of line.parentElement.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    line.tabIndex = 0;
  };
  const clear = () => {
    for (const line of kernel.querySelectorAll(".hit")) {
      line.classList.remove("hit");
      line.setAttribute("aria-selected", "false");
    }
    status.textContent = told;
  };
  const scrollTo = (list, line) => {
    list.scrollTop += line.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 3;
  };
  const select = (chosen) => {
    clear();
    const keys = new Set(keysOf(chosen));
    const counts = [];
    for (const list of lists) {
      const hits = linked(list).filter((line) => keysOf(line).some((key) => keys.has(key)));
      for (const line of hits) {
        line.classList.add("hit");
        line.setAttribute("aria-selected", "true");
      }
      counts.push(`${hits.length} of ${list.dataset.title}`);
      if (hits.length && list !== chosen.parentElement) {
        scrollTo(list, hits[0]);
        makeStop(hits[0]);
      }
    }
    makeStop(chosen);
    const lines = [...keys].join(", ");
    status.textContent = `Python line ${lines}: ${counts.join(", ")} lines. Escape clears.`;
  };
  const move = (line, by) => {
    const lines = linked(line.parentElement);
    const next = lines[Math.min(Math.max(lines.indexOf(line) + by, 0), lines.length - 1)];
    makeStop(next);
    next.focus();
    select(next);
  };
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12, Home: -1e9, End: 1e9 };
  kernel.addEventListener("click", (event) => {
    const line = event.target.closest("[data-k]");
    if (line && String(getSelection()) === "") select(line);
  });
  kernel.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return clear();
    const line = event.target.closest("[data-k]");
    if (!line) return;
    if (event.key === "Enter" || event.key === " ") select(line);
    else if (event.key in steps) move(line, steps[event.key]);
    else return;
    event.preventDefault();
  });
}
// A row of the times, and its rows in the plots: they light up together.
for (const row of document.querySelectorAll("[data-times]")) {
  const drawn = [...document.querySelectorAll(".plot [data-row]")].filter((one) => one.dataset.row === row.dataset.times);
  const show = (is) => {
    for (const one of [row, ...drawn]) one.classList.toggle("hit", is);
  };
  const reveal = () => {
    for (const one of drawn) {
      const frame = one.closest(".plot");
      frame.scrollTop += one.getBoundingClientRect().top - frame.getBoundingClientRect().top - frame.clientHeight / 2;
    }
  };
  row.addEventListener("mouseenter", () => show(true));
  row.addEventListener("mouseleave", () => show(row.contains(document.activeElement)));
  row.addEventListener("focusin", () => { show(true); reveal(); });
  row.addEventListener("focusout", () => show(false));
}
const open = () => {
  const named = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named && named.tagName === "DETAILS") named.open = true;
};
addEventListener("hashchange", open);
open();
