// A line chart over time, in SVG. The arrow keys work like the pointer: the plot is a slider over
// the moments, and its value is the value at that moment. A table contains the same values.

import { el, svg, say, time } from "./words.js";

const height = 150;
const edge = { left: 44, right: 8, top: 8, bottom: 20 };
/** Possible steps of the time axis, in milliseconds. */
const spans = [120_000, 300_000, 600_000];
const tableMax = 30;

export class Chart {
  #series; #format; #top; #plot; #lines; #slider; #tip; #table; #details; #note;
  #points = []; #now = 0; #chosen = null;

  /**
   * @param figure The element in which it is drawn.
   * @param top The end of the axis; none: determined by the values.
   */
  constructor(figure, { title, unit, series, format, top }) {
    this.#series = series;
    this.#format = format;
    this.#top = top;
    this.#plot = svg("svg", { "aria-hidden": "true", height });
    this.#lines = svg("g");
    this.#tip = el("div", { class: "tip", hidden: true });
    this.#slider = el("div", {
      class: "moment", role: "slider", tabindex: 0, "aria-label": `${title}, moment`,
      "aria-valuemin": 0, "aria-valuemax": 0, "aria-valuenow": 0,
      onkeydown: event => this.#press(event), onpointermove: event => this.#point(event),
      onpointerdown: event => this.#point(event),
      onpointerleave: () => this.#choose(null), onblur: () => this.#choose(null),
      onfocus: () => this.#choose(this.#points.length - 1),
    });
    this.#note = el("p", { class: "note empty" });
    this.#table = el("table");
    this.#details = el("details", { ontoggle: () => this.#write() },
      el("summary", {}, "As a table"),
      el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": `${title}, table` },
        this.#table));
    figure.append(
      el("figcaption", { class: "title" }, el("h2", {}, title, el("span", { class: "unit" }, ` ${unit}`)),
        el("ul", { class: "legend" }, ...(series.length > 1 ? series.map(legendEntry) : []))),
      el("div", { class: "plot" }, this.#plot, this.#slider, this.#tip, this.#note), this.#details);
    new ResizeObserver(() => this.#paint()).observe(this.#plot.parentElement);
  }

  draw(points, now) {
    this.#points = points;
    this.#now = now;
    this.#slider.setAttribute("aria-valuemax", Math.max(0, points.length - 1));
    if (this.#chosen !== null) this.#choose(Math.min(this.#chosen, points.length - 1));
    this.#paint();
    this.#write();
  }

  // MARK: Lines

  #paint() {
    const width = this.#plot.parentElement.clientWidth;
    if (!width) return;
    const first = this.#points[0]?.time ?? this.#now;
    const span = spans.find(each => this.#now - first <= each) ?? spans.at(-1);
    const values = this.#points.flatMap(point => this.#series.map(each => point.figures?.[each.key] ?? 0));
    const ticks = this.#top ? [0, this.#top / 2, this.#top] : niceTicks(Math.max(0, ...values));
    const x = at => edge.left + (1 - (this.#now - at) / span) * (width - edge.left - edge.right);
    const y = value => edge.top + (1 - value / ticks.at(-1)) * (height - edge.top - edge.bottom);
    this.x = x;
    this.#plot.setAttribute("width", width);
    this.#plot.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const cursor = this.#chosen === null ? null : this.#points[this.#chosen];
    this.#plot.replaceChildren(
      ...ticks.flatMap(value => [
        svg("line", {
          class: "grid", x1: edge.left, x2: width - edge.right, y1: y(value), y2: y(value) }),
        svg("text", {
          class: "tick", x: edge.left - 6, y: y(value) + 3.5, "text-anchor": "end",
        }, this.#format(value)),
      ]),
      ...[1, 0.5, 0].map(share => svg("text", {
        class: "tick", x: x(this.#now - share * span), y: height - 5,
        "text-anchor": share === 1 ? "start" : share ? "middle" : "end",
      }, share ? `−${share * span / 60_000} min` : "now")),
      ...this.#series.map(each => svg("path", { class: `line of-${each.key}`, d: this.#path(each.key, x, y) })),
      ...(cursor ? [svg("line", {
        class: "cursor", x1: x(cursor.time), x2: x(cursor.time), y1: edge.top,
        y2: height - edge.bottom })] : []),
    );
    const isEmpty = !this.#points.some(point =>
      this.#series.some(each => isNumber(point.figures?.[each.key])));
    this.#note.hidden = !isEmpty;
    say(this.#note, this.#points.some(point => point.figures)
      ? "Nothing was looked up yet" : "The first figures come with the second answer");
    if (this.#chosen === null) this.#value(this.#points.length - 1);
  }

  /** Lines end where values are missing. A single moment is a dot. */
  #path(key, x, y) {
    let path = "", isDown = false;
    this.#points.forEach((point, n) => {
      const value = point.figures?.[key];
      if (!isNumber(value)) { isDown = false; return; }
      if (x(point.time) < edge.left) return;
      path += `${isDown ? "L" : "M"}${x(point.time).toFixed(1)} ${y(value).toFixed(1)}`;
      const isAlone = !isDown && !isNumber(this.#points[n + 1]?.figures?.[key]);
      if (isAlone) path += "m-2 0h4";
      isDown = true;
    });
    return path;
  }

  // MARK: Moments

  #press(event) {
    const last = this.#points.length - 1;
    const at = this.#chosen ?? last;
    const to = {
      ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1,
      PageDown: at - 10, PageUp: at + 10, Home: 0, End: last, Escape: null,
    }[event.key];
    if (to === undefined || last < 0) return;
    event.preventDefault();
    this.#choose(to === null ? null : Math.max(0, Math.min(last, to)));
  }

  #point(event) {
    if (!this.#points.length || !this.x) return;
    const at = event.clientX - this.#plot.getBoundingClientRect().left;
    const distances = this.#points.map(point => Math.abs(this.x(point.time) - at));
    this.#choose(distances.indexOf(Math.min(...distances)));
  }

  #choose(index) {
    this.#chosen = index === null || index < 0 ? null : index;
    const point = this.#points[this.#chosen];
    this.#tip.hidden = !point;
    if (point) {
      this.#tip.replaceChildren(el("strong", {}, time(point.time)), ...this.#series.map(each =>
        el("span", { class: `swatch of-${each.key}` }, `${each.name} ${this.#text(point, each.key)}`)));
      this.#value(this.#chosen);
    }
    this.#paint();
    if (point) this.#place(this.x?.(point.time) ?? 0);
  }

  #place(x) {
    const room = this.#plot.parentElement.clientWidth;
    this.#tip.style.left = `${Math.max(0, Math.min(room - this.#tip.offsetWidth, x + 10))}px`;
    if (x + 10 + this.#tip.offsetWidth > room) {
      this.#tip.style.left = `${Math.max(0, x - 10 - this.#tip.offsetWidth)}px`;
    }
  }

  #value(index) {
    const point = this.#points[index];
    this.#slider.setAttribute("aria-valuenow", Math.max(0, index));
    const words = point && this.#series.map(each => `${each.name} ${this.#text(point, each.key)}`);
    this.#slider.setAttribute("aria-valuetext",
      point ? `${time(point.time)}: ${words.join(", ")}` : "no figures yet");
  }

  #text(point, key) {
    const value = point.figures?.[key];
    return isNumber(value) ? this.#format(value) : "not known";
  }

  // MARK: Table

  #write() {
    if (!this.#details.open) return;
    const rows = this.#points.slice(-tableMax).reverse().map(point => el("tr", {},
      el("th", { scope: "row" }, time(point.time)),
      ...this.#series.map(each => el("td", {}, this.#text(point, each.key)))));
    this.#table.replaceChildren(
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Time"),
        ...this.#series.map(each => el("th", { scope: "col" }, each.name)))),
      el("tbody", {}, ...rows));
  }
}

const isNumber = value => value !== null && value !== undefined;
const legendEntry = each => el("li", { class: `swatch of-${each.key}` }, each.name);

/** Three or four grid lines, at round numbers. */
function niceTicks(most) {
  if (most <= 0) return [0, 1];
  const size = 10 ** Math.floor(Math.log10(most / 3));
  const step = [1, 2, 5, 10].map(each => each * size).find(each => each * 3 >= most);
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, n) => n * step);
}
