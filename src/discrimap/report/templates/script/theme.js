"use strict";
// Before the page is drawn, so that it never flashes in the wrong colours.
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const follow = () => { root.dataset.theme = dark.matches ? "dark" : "light"; };
  follow();
  dark.addEventListener("change", () => { if (!root.dataset.chosen) { follow(); dispatchEvent(new Event("theme")); } });
})();
