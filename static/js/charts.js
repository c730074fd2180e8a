/* Draws what a table says: each [data-chart] reads the table that it names, and is drawn anew in other colours. The
   table stays the text of it; without a script it stands alone. */
(() => {
  "use strict";

  const SHAPES = ["circle", "square", "triangle", "diamond", "pentagon", "hexagon", "star", "cross", "ring"];
  const POINTS = ["circle", "rect", "triangle", "rectRot", "crossRot", "star"];
  const DASHES = [[], [6, 4], [2, 3], [10, 3, 2, 3], [1, 4], [14, 4]];
  const drawn = new Map();

  // A variable is only resolved where a colour is used.
  function colour(name) {
    const probe = document.createElement("span");
    probe.style.color = `var(--${name})`;
    document.body.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  }

  // Nothing depends on colour: every second series is hatched.
  function filled(shade, n) {
    if (n % 2 === 0) return shade;
    const tile = document.createElement("canvas");
    tile.width = tile.height = 8;
    const pen = tile.getContext("2d");
    pen.strokeStyle = shade;
    pen.lineWidth = 3;
    pen.beginPath();
    pen.moveTo(-2, 10);
    pen.lineTo(10, -2);
    pen.moveTo(-2, 2);
    pen.lineTo(2, -2);
    pen.moveTo(6, 10);
    pen.lineTo(10, 6);
    pen.stroke();
    return pen.createPattern(tile, "repeat");
  }

  function words(cell) {
    const label = cell.querySelector(".label");
    const text = (label || cell.querySelector("bdi") || cell).cloneNode(true);
    text.querySelectorAll(label ? "[aria-hidden]" : "small, .visually-hidden").forEach((hidden) => hidden.remove());
    return text.textContent.replace(/\s+/g, " ").trim();
  }

  function read(box) {
    const table = document.getElementById(box.dataset.table);
    const heads = [...table.tHead.rows[0].cells];
    const most = box.dataset.chart === "line" ? Infinity : Number(box.dataset.most);
    const rows = [...table.tBodies[0].rows].slice(0, most);
    const x = Number(box.dataset.x);
    const places = rows.map((row) => Number(row.cells[x].dataset.value || NaN));
    const ys = box.dataset.ys.split(" ").map(Number);
    const by = Number(box.dataset.by || NaN);
    return {
      x: words(heads[x]),
      // A curve over figures lies where they are; names follow each other.
      places: box.dataset.chart === "line" && places.every((place) => Number.isFinite(place)) ? places : null,
      titles: rows.map((row) => words(row.cells[0])),
      names: rows.map((row) => words(row.cells[x])),
      hues: rows.map((row) => row.cells[x].dataset.hue || ""),
      y: ys.length === 1 ? words(heads[ys[0]]) : "",
      apart: by >= 0,
      series: by >= 0 ? apart(rows, by, ys[0]) : ys.map((y) => ({ name: words(heads[y]), values: figures(rows, y) })),
    };
  }

  function figures(rows, y) {
    return rows.map((row) => {
      const { value } = row.cells[y].dataset;
      return value === "" ? null : Number(value);
    });
  }

  // A series for each word of a column, with the values of its rows alone.
  function apart(rows, by, y) {
    const values = figures(rows, y);
    const told = rows.map((row) => words(row.cells[by]));
    return [...new Set(told)].map((name) => ({
      name,
      hue: rows[told.indexOf(name)].cells[by].dataset.hue,
      values: values.map((value, at) => (told[at] === name ? value : null)),
    }));
  }

  const shadeOf = (each, n) => colour(each.hue || (n ? SHAPES[(n + 2) % SHAPES.length] : "accent"));

  function bars(found) {
    const own = found.series.length === 1 && found.hues.every((hue) => hue);
    return found.series.map((each, n) => {
      const shades = own ? found.hues.map(colour) : [shadeOf(each, n)];
      return {
        label: each.name,
        data: each.values,
        backgroundColor: shades.map((shade) => filled(shade, n)),
        borderColor: shades,
        borderWidth: 1,
        grouped: !found.apart, // of those apart one has a value in each place
        barPercentage: 0.95,
        categoryPercentage: Math.min(0.8, 0.15 + 0.1 * found.names.length),
      };
    });
  }

  function lines(found) {
    return found.series.map((each, n) => {
      const shade = shadeOf(each, n);
      return {
        label: each.name,
        data: found.places ? each.values.map((y, at) => ({ x: found.places[at], y })) : each.values,
        borderColor: shade,
        backgroundColor: shade,
        borderDash: DASHES[n % DASHES.length],
        pointStyle: POINTS[n % POINTS.length],
        pointRadius: each.values.length > 60 ? 0 : 4,
        borderWidth: 2,
        spanGaps: true,
      };
    });
  }

  function options(box, found) {
    const ink = colour("ink-quiet");
    const titled = (text) => ({ display: true, text, color: ink });
    const axis = { ticks: { color: ink }, grid: { color: colour("line") }, border: { color: colour("line-strong") } };
    const stacked = box.dataset.chart === "stacked";
    return {
      responsive: true,
      maintainAspectRatio: false,
      animation: false,
      locale: document.documentElement.lang,
      font: { family: getComputedStyle(document.body).fontFamily },
      scales: {
        x: { ...axis, stacked, type: found.places ? "linear" : "category", title: titled(found.x), grid: { display: false } },
        y: {
          ...axis,
          stacked,
          beginAtZero: true,
          title: found.y ? titled(found.y) : { display: false },
        },
      },
      plugins: {
        tooltip: { callbacks: { title: (points) => found.titles[points[0].dataIndex] } },
        legend: { display: found.series.length > 1, labels: { color: ink, boxHeight: 7, usePointStyle: box.dataset.chart === "line" } },
      },
    };
  }

  function draw(box) {
    if (drawn.has(box)) drawn.get(box).destroy();
    const found = read(box);
    if (!found.names.length || !found.series.some((each) => each.values.some((value) => value !== null))) return;
    box.hidden = false;
    const isLine = box.dataset.chart === "line";
    drawn.set(
      box,
      new Chart(box.querySelector("canvas"), {
        type: isLine ? "line" : "bar",
        data: { labels: found.names, datasets: isLine ? lines(found) : bars(found) },
        options: options(box, found),
      }),
    );
  }

  function drawAll() {
    if (!window.Chart) return;
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    for (const [box, chart] of drawn) {
      if (!box.isConnected) {
        chart.destroy();
        drawn.delete(box);
      }
    }
    document.querySelectorAll("[data-chart]").forEach(draw);
  }

  drawAll();
  document.body.addEventListener("htmx:afterSwap", drawAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  new MutationObserver(drawAll).observe(document.documentElement, { attributeFilter: ["data-theme"] });
})();
