// A transcript: searchable, and each line leads to its time in the plot.

const MOST_LINES = 20000;

class TranscriptView {
  constructor(name, lines, timeline, differs = new Set()) {
    this.lines = lines.slice(0, MOST_LINES);
    this.timeline = timeline;
    this.current = -1;
    this.found = [];
    this.at = -1;
    this.rows = this.lines.map((entry, index) => this.row(entry, index, differs));
    this.list = h("ol", { class: "lines", "aria-label": name, keydown: (event) => this.typed(event) }, this.rows);
    this.rows.length && this.button(0).setAttribute("tabindex", "0");
    this.said = h("span", { role: "status" });
    this.input = h("input", {
      type: "search", placeholder: "Search", "aria-label": "Search in " + name,
      input: () => this.search(), keydown: (event) => this.searched(event),
    });
    const cut = lines.length > MOST_LINES
      ? h("p", { class: "note" }, "The first " + MOST_LINES + " of " + lines.length + " lines are shown.")
      : lines.length ? null : h("p", { class: "hint" }, "Nothing was said.");
    this.element = h("section", { class: "transcript" },
      h("div", { class: "tools" }, h("h3", {}, printable(name)), this.input,
        h("button", { type: "button", "aria-label": "Previous line found", click: () => this.step(-1) }, "\u2191"),
        h("button", { type: "button", "aria-label": "Next line found", click: () => this.step(1) }, "\u2193"),
        this.said),
      this.list, cut);
    timeline.listeners.push((source) => this.follow(source));
  }

  row(entry, index, differs) {
    const at = entry.at_us === null ? "" : (entry.at_us / 1e6).toFixed(6);
    const ways = { "fw->": "out", "->fw": "in", "--": "note" };
    const names = { "fw->": "from firmware", "->fw": "to firmware", "--": "note" };
    return h("li", { class: (ways[entry.way] || "cut") + (differs.has(index) ? " differs" : ""), "data-line": index },
      h("button", { type: "button", tabindex: "-1", class: "at", title: "Show in the plot",
        click: () => this.choose(index) },
        at || "...", h("span", { class: "hidden" }, names[entry.way] || "")),
      h("span", { class: "said" }, printable(entry.text)));
  }

  button(index) {
    return this.rows[index].firstChild;
  }

  choose(index, { focus = true } = {}) {
    this.select(index);
    if (focus) this.button(index).focus({ preventScroll: true });
    if (this.lines[index].at_us !== null) {
      const at_us = this.lines[index].at_us;
      const [from, to] = this.timeline.view;
      if (at_us < from || at_us > to) this.timeline.show(at_us - (to - from) / 2, at_us + (to - from) / 2);
      this.timeline.point(at_us, "transcript");
    }
  }

  select(index) {
    if (this.current >= 0) {
      this.rows[this.current].removeAttribute("aria-current");
      this.button(this.current).setAttribute("tabindex", "-1");
    } else if (this.rows.length) this.button(0).setAttribute("tabindex", "-1");
    this.current = index;
    if (index < 0) return;
    this.rows[index].setAttribute("aria-current", "true");
    this.button(index).setAttribute("tabindex", "0");
    const row = this.rows[index];
    const box = this.list;
    if (row.offsetTop < box.scrollTop || row.offsetTop + row.offsetHeight > box.scrollTop + box.clientHeight)
      box.scrollTop = row.offsetTop - box.clientHeight / 2;
  }

  /** Go along with a cursor that was kept in the plot. */
  follow(source) {
    if (source !== "kept" || this.timeline.cursor_us === null) return;
    let last = -1;
    this.lines.some((entry, index) => {
      if (entry.at_us === null) return false;
      if (entry.at_us > this.timeline.cursor_us) return true;
      last = index;
      return false;
    });
    if (last >= 0) this.select(last);
  }

  typed(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 };
    if (!steps[event.key]) return;
    event.preventDefault();
    const next = Math.max(this.current, 0) + steps[event.key];
    this.choose(Math.min(Math.max(next, 0), this.rows.length - 1));
  }

  search() {
    const needle = this.input.value.toLowerCase();
    this.found = [];
    this.rows.forEach((row, index) => {
      const text = printable(this.lines[index].text);
      const hit = needle !== "" && text.toLowerCase().includes(needle);
      if (hit) this.found.push(index);
      if (hit || row.dataset.hit) row.lastChild.replaceChildren(...marked(text, hit ? needle : ""));
      if (hit) row.dataset.hit = "yes";
      else delete row.dataset.hit;
    });
    this.at = -1;
    this.said.textContent = needle ? this.found.length + " lines" : "";
    if (this.found.length) this.step(1);
  }

  searched(event) {
    if (event.key !== "Enter") return;
    event.preventDefault();
    this.step(event.shiftKey ? -1 : 1);
  }

  step(by) {
    const count = this.found.length;
    if (!count) return;
    this.at = (this.at + by + count) % count;
    this.said.textContent = this.at + 1 + " of " + count + " lines";
    this.choose(this.found[this.at], { focus: false });
  }
}
