// The plot: lanes over one time, on a canvas, with a cursor that reads all of them.

/** What the plots and transcripts of one view have in common: what is seen, and when. */
class Timeline {
  constructor(from_us, to_us) {
    this.whole = [from_us, Math.max(to_us, from_us + 1)];
    this.view = [...this.whole];
    this.cursor_us = null;
    this.listeners = [];
  }
  point(at_us, source) {
    this.cursor_us = at_us === null ? null : Math.min(Math.max(at_us, this.whole[0]), this.whole[1]);
    this.tell(source);
  }
  show(from_us, to_us) {
    const least = Math.min(10, this.whole[1] - this.whole[0]);
    const span = Math.min(Math.max(to_us - from_us, least), this.whole[1] - this.whole[0]);
    const from = Math.min(Math.max(from_us, this.whole[0]), this.whole[1] - span);
    this.view = [from, from + span];
    this.tell("view");
  }
  zoom(factor, around_us = this.cursor_us) {
    const [from, to] = this.view;
    const inside = around_us !== null && around_us >= from && around_us <= to;
    const centre = inside ? around_us : (from + to) / 2;
    this.show(centre - (centre - from) * factor, centre + (to - centre) * factor);
  }
  pan(share) {
    const span = this.view[1] - this.view[0];
    this.show(this.view[0] + span * share, this.view[1] + span * share);
  }
  tell(source) {
    for (const listener of this.listeners) listener(source);
  }
}

function timelineOf(lanes) {
  const all = lanes.flatMap((lane) =>
    lane.times.length ? [lane.times[0], lane.ends_us || lane.times[lane.times.length - 1]] : []);
  return all.length ? new Timeline(Math.min(0, ...all), Math.max(...all)) : new Timeline(0, 1);
}

const HEIGHT_PX = { analog: 96, digital: 36, words: 36, marks: 32 };
const GAP_PX = 10;
const AXIS_PX = 24;
const LABELS_PX = 44;
const COLOURS = ["--lane1", "--lane2", "--lane3", "--lane4", "--lane5"];

/** The charts that are shown: a change of theme draws them anew. */
const CHARTS = [];

class Chart {
  constructor(lanes, timeline, { title, differs_us = null }) {
    this.lanes = lanes;
    this.timeline = timeline;
    this.differs_us = differs_us;
    this.drag = null;
    this.canvas = h("canvas", {
      role: "img", tabindex: "0", "aria-label": title + ": " + lanes.length + " lanes: " +
        lanes.map((lane) => lane.name).join(", ") +
        ". Arrow keys move the cursor, plus and minus zoom, zero shows all.",
    });
    this.canvas.style.height =
      lanes.reduce((sum, lane) => sum + HEIGHT_PX[lane.kind] + GAP_PX, AXIS_PX) + "px";
    this.readings = lanes.map(() => h("td", {}, "-"));
    this.caption = h("caption", {}, "Cursor: none");
    this.spoken = h("p", { role: "status", class: "hidden" });
    const rows = lanes.map((lane, index) =>
      h("tr", {}, h("th", { scope: "row" }, printable(lane.name)), this.readings[index]));
    const button = (words, name, does) =>
      h("button", { type: "button", "aria-label": name, title: name, click: does }, words);
    this.element = h("div", { class: "chart" },
      h("div", { class: "tools", role: "group", "aria-label": "Zoom" },
        button("+", "Zoom in", () => timeline.zoom(0.5)),
        button("\u2212", "Zoom out", () => timeline.zoom(2)),
        button("\u2190", "Earlier", () => timeline.pan(-0.3)),
        button("\u2192", "Later", () => timeline.pan(0.3)),
        button("All", "Show all of the time", () => timeline.show(...timeline.whole)),
        h("span", { class: "hint" }, "Drag over a span to zoom in; click to keep the cursor.")),
      h("div", { class: "drawn" }, this.canvas,
        h("div", { class: "readings" }, h("table", {}, this.caption, h("tbody", {}, rows)))),
      this.spoken);
    this.listen();
  }

  listen() {
    const canvas = this.canvas;
    CHARTS.push(this);
    this.timeline.listeners.push(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(canvas);
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.drag = { from: event.offsetX, to: event.offsetX };
    });
    canvas.addEventListener("pointermove", (event) => {
      if (this.drag) this.drag.to = event.offsetX;
      else if (this.kept) return;
      this.timeline.point(this.timeAt(event.offsetX), "plot");
    });
    canvas.addEventListener("pointerup", (event) => this.dropped(event));
    canvas.addEventListener("dblclick", () => this.timeline.show(...this.timeline.whole));
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.timeline.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.timeAt(event.offsetX));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.typed(event));
  }

  dropped(event) {
    const { from, to } = this.drag || { from: 0, to: 0 };
    this.drag = null;
    if (Math.abs(to - from) > 6) {
      this.timeline.show(this.timeAt(Math.min(from, to)), this.timeAt(Math.max(from, to)));
    } else {
      this.kept = !this.kept;
      this.timeline.point(this.timeAt(event.offsetX), "kept");
    }
  }

  typed(event) {
    const [from, to] = this.timeline.view;
    const step = (to - from) / (event.shiftKey ? 20 : 200);
    const now = this.timeline.cursor_us === null ? from : this.timeline.cursor_us;
    const moves = {
      ArrowLeft: () => this.timeline.point(now - step, "kept"),
      ArrowRight: () => this.timeline.point(now + step, "kept"),
      Home: () => this.timeline.point(this.timeline.whole[0], "kept"),
      End: () => this.timeline.point(this.timeline.whole[1], "kept"),
      "+": () => this.timeline.zoom(0.5),
      "=": () => this.timeline.zoom(0.5),
      "-": () => this.timeline.zoom(2),
      0: () => this.timeline.show(...this.timeline.whole),
    };
    if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    moves[event.key]();
    this.kept = true;
    const cursor_us = this.timeline.cursor_us;
    if (cursor_us !== null)
      this.spoken.textContent = seconds(cursor_us, 3) + ": " +
        this.lanes.slice(0, 8).map((lane) => lane.name + " " + valueAt(lane, cursor_us)).join(", ");
  }

  /** How wide the lanes are; beside them there is room for figures. */
  get width() {
    return Math.max(this.canvas.clientWidth - LABELS_PX, 1);
  }
  timeAt(x) {
    const [from, to] = this.timeline.view;
    return from + ((to - from) * Math.min(x, this.width)) / this.width;
  }
  xAt(at_us) {
    const [from, to] = this.timeline.view;
    return ((at_us - from) / (to - from)) * this.width;
  }

  draw() {
    const width = this.width;
    const height = this.canvas.clientHeight;
    if (!this.canvas.clientWidth) return;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = this.canvas.clientWidth * ratio;
    this.canvas.height = height * ratio;
    const pen = this.canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = "12px system-ui, sans-serif";
    this.drawAxis(pen, width, height);
    let top = 0;
    this.lanes.forEach((lane, index) => {
      drawLane(this, pen, lane, top, colourOf(COLOURS[index % COLOURS.length]));
      top += HEIGHT_PX[lane.kind] + GAP_PX;
    });
    this.drawCursor(pen, width, height);
    this.read();
  }

  drawAxis(pen, width, height) {
    const [from, to] = this.timeline.view;
    const step = roundStep((to - from) / Math.max(2, width / 110));
    pen.strokeStyle = colourOf("--grid");
    pen.fillStyle = colourOf("--soft");
    const digits = Math.max(0, Math.min(6, -Math.floor(Math.log10(step / 1e6))));
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
      const x = Math.round(this.xAt(at)) + 0.5;
      line(pen, x, 0, x, height - AXIS_PX + 4);
      pen.textAlign = x < 20 ? "left" : x > width - 24 ? "right" : "center";
      pen.fillText((at / 1e6).toFixed(digits) + " s", x, height - 6);
    }
    pen.textAlign = "left";
  }

  drawCursor(pen, width, height) {
    if (this.drag) {
      pen.fillStyle = colourOf("--select");
      pen.fillRect(this.drag.from, 0, this.drag.to - this.drag.from, height - AXIS_PX);
    }
    for (const [at_us, colour, dash] of [
      [this.differs_us, "--fail", [5, 4]],
      [this.timeline.cursor_us, "--ink", []],
    ]) {
      if (at_us === null) continue;
      const x = Math.round(this.xAt(at_us)) + 0.5;
      if (x < 0 || x > width) continue;
      pen.strokeStyle = colourOf(colour);
      pen.setLineDash(dash);
      line(pen, x, 0, x, height - AXIS_PX + 4);
      pen.setLineDash([]);
    }
  }

  read() {
    const at_us = this.timeline.cursor_us;
    this.caption.textContent = at_us === null ? "Cursor: none" : "At " + seconds(at_us);
    this.lanes.forEach((lane, index) => {
      this.readings[index].textContent = at_us === null ? "-" : valueAt(lane, at_us);
    });
  }
}

function line(pen, x1, y1, x2, y2) {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

/** Return 1, 2 or 5 times a power of ten, at least as large. */
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((each) => each * power).find((step) => step >= least);
}

const PROBED = new Map();

/** Return a colour of the style sheet as it is in the theme that is shown. */
function colourOf(name) {
  if (!PROBED.has(name)) {
    const probe = h("span", { style: "color:var(" + name + ")" });
    document.body.append(probe);
    PROBED.set(name, getComputedStyle(probe).color);
    probe.remove();
  }
  return PROBED.get(name);
}
