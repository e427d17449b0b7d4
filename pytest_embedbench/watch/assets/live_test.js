// One test or cell while it goes on: its logs, and a plot that grows with them.

const MOST_SAMPLES = 20000;

class LiveTest {
  constructor(run, key) {
    this.run = run;
    this.key = key;
    this.offsets = {};
    this.logs = new Map();
    this.traces = new Map();
    this.record = null;
    this.chart = null;
    this.file = h("p", { class: "file" });
    this.title = h("h2", { tabindex: "-1" });
    this.verdict = h("p", { class: "verdict", role: "status" });
    this.why = h("div", { class: "why", hidden: true });
    this.plot = h("div", {});
    this.talks = h("div", {}, h("p", { class: "hint" }, "Nothing is written yet."));
    this.element = h("div", {}, this.file, this.title, this.verdict, this.why, this.plot, this.talks);
  }

  /** Show what the list says of it. */
  describe(row) {
    const [file, name] = parted(row.test);
    this.file.textContent = file === name ? "" : printable(file);
    this.title.textContent = printable(name);
    show(this.verdict, h("strong", { class: "outcome " + stateClass(row.state) }, printable(row.state)),
      [row.board, row.submission, row.agent, row.mode].filter(Boolean)
        .map((words) => h("span", {}, printable(words))),
      row.blame && row.blame !== "none" ? h("span", { class: "blame" }, printable(row.blame)) : null,
      row.duration_s ? h("span", { class: "hint" }, duration(row.duration_s)) : null);
    this.why.hidden = !row.reason;
    this.why.className = "why " + stateClass(row.state);
    show(this.why, h("p", {}, printable(row.reason || "")));
  }

  take(news) {
    let changed = news.record !== null && this.record === null;
    this.record = news.record || this.record;
    for (const [name, file] of Object.entries(news.files)) {
      this.offsets[name] = file.offset;
      const took = name.endsWith(".csv") ? this.takeTrace(name, file) : this.log(name).take(file);
      changed = took || changed;
    }
    if (changed) this.draw();
  }

  log(name) {
    if (!this.logs.has(name)) {
      if (!this.logs.size) this.talks.replaceChildren();
      this.logs.set(name, new LiveLog(name));
      this.talks.append(this.logs.get(name).element);
    }
    return this.logs.get(name);
  }

  takeTrace(name, file) {
    const known = file.is_anew ? null : this.traces.get(name);
    const fresh = file.text.split("\n").filter(Boolean);
    const trace = known || { head: file.head.trim() || fresh.shift() || "", rows: [] };
    trace.rows.push(...fresh);
    if (trace.rows.length > MOST_SAMPLES) trace.rows.splice(0, trace.rows.length - MOST_SAMPLES);
    this.traces.set(name, trace);
    return fresh.length > 0;
  }

  lanes() {
    const several = this.traces.size > 1;
    const logs = [...this.logs].filter(([name]) => isTranscript(name));
    return [
      ...[...this.traces].filter(([, trace]) => trace.rows.length).flatMap(([name, trace]) =>
        traceLanes([trace.head, ...trace.rows].join("\n"), name, this.record, several ? name + ": " : "")),
      ...logs.flatMap(([name, log]) => transcriptLanes(logs.length > 1 ? name : "", log.lines)),
    ];
  }

  draw() {
    const lanes = this.lanes();
    if (!lanes.length) return;
    const same = this.chart && lanes.map(laneKind).join() === this.chart.lanes.map(laneKind).join();
    const next = timelineOf(lanes);
    if (!same) {
      CHARTS.length = 0;
      this.chart = new Chart(lanes, next, { title: "Values and lines so far" });
      this.plot.replaceChildren(this.chart.element);
      return;
    }
    const timeline = this.chart.timeline;
    const sawAll = timeline.view[0] === timeline.whole[0] && timeline.view[1] === timeline.whole[1];
    this.chart.lanes = lanes;
    timeline.whole = next.whole;
    if (sawAll) timeline.view = [...next.whole];
    this.chart.draw();
  }
}

function laneKind(lane) {
  return lane.kind + " " + lane.name;
}

/** Return the class that a state is shown with. */
function stateClass(state) {
  const known = { passed: "passed", PASS: "passed", failed: "failed", skipped: "skipped",
    running: "running", interrupted: "interrupted", waiting: "waiting", "not run": "waiting" };
  if (known[state]) return known[state];
  return ["HOST", "INT"].includes(state) ? "failed" : "odd";
}
