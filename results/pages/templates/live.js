"use strict";
// Draws each chart in the width and the colours that its place has, again whenever these change. Until a chart is
// drawn, and in print, its still picture stands there.
(() => {
  const VARIABLES = @variables@, WIDE = @wide@;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const drawn = new Map();

  // In one pass, as the dark colour of one series may be the light one of another.
  const coloured = (text) => {
    const style = getComputedStyle(document.documentElement);
    return text.replace(/"(#[0-9a-f]{6})"/g, (quoted, colour) =>
      colour in VARIABLES ? `"${style.getPropertyValue(VARIABLES[colour]).trim()}"` : quoted);
  };

  const draw = async (box) => {
    const width = Math.floor(box.clientWidth);
    if (width === 0) return;
    const now = `${width} ${dark.matches}`;
    if (drawn.get(box) === now) return;
    drawn.set(box, now);
    const spec = JSON.parse(coloured(document.getElementById(box.dataset.spec).textContent));
    const narrow = width < WIDE * 0.8;
    spec.width = width;
    Object.assign(spec.config.legend, { columns: narrow ? 2 : 3, labelLimit: narrow ? 130 : 190 });
    Object.assign(spec.config.axisY, { labelLimit: narrow ? 120 : 200 });
    const options = {
      mode: "vega-lite", renderer: "svg", actions: false, ast: true, tooltip: { theme: dark.matches ? "dark" : "light" },
    };
    await vegaEmbed(box, spec, options);
    box.closest("figure").classList.add("drawn");
  };

  const boxes = [...document.querySelectorAll(".live")];
  const watcher = new ResizeObserver((entries) => entries.forEach((entry) => draw(entry.target)));
  boxes.forEach((box) => watcher.observe(box));
  dark.addEventListener("change", () => boxes.forEach(draw));
})();
