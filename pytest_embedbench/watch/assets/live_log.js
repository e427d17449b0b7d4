// A log that grows: its last lines, and whether the view stays at the end of them.

const MOST_LINES = 4000;
const WAYS = { "fw->": "out", "->fw": "in", "--": "note" };
const WAY_NAMES = { "fw->": "from firmware", "->fw": "to firmware", "--": "note" };

class LiveLog {
  constructor(name) {
    this.lines = [];
    this.dropped = 0;
    this.list = h("ol", { class: "lines", "aria-label": printable(name), tabindex: "0" });
    this.cut = h("p", { class: "hint", hidden: true });
    this.element = h("section", { class: "transcript" },
      h("div", { class: "tools" }, h("h3", {}, printable(name))), this.cut, this.list);
  }

  take(news) {
    if (news.is_anew) {
      this.lines = [];
      this.list.replaceChildren();
    }
    if (news.skipped_bytes) this.skipped = (this.skipped || 0) + news.skipped_bytes;
    const fresh = transcriptLines(news.text);
    const atEnd = this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight < 40;
    this.lines.push(...fresh);
    this.list.append(...fresh.slice(-MOST_LINES).map((entry) => this.row(entry)));
    const over = this.lines.length - MOST_LINES;
    if (over > 0) {
      this.lines.splice(0, over);
      this.dropped += over;
      while (this.list.children.length > MOST_LINES) this.list.firstChild.remove();
    }
    this.tellCut();
    if (atEnd && fresh.length) this.list.scrollTop = this.list.scrollHeight;
    return fresh.length > 0 || news.is_anew;
  }

  row(entry) {
    const at = entry.at_us === null ? "" : (entry.at_us / 1e6).toFixed(6);
    return h("li", { class: WAYS[entry.way] || "plain" },
      at ? h("span", { class: "at" }, at) : null,
      entry.way ? h("span", { class: "hidden" }, WAY_NAMES[entry.way]) : null,
      h("span", { class: "said" }, printable(entry.text)));
  }

  tellCut() {
    const words = [];
    if (this.skipped) words.push(bytes(this.skipped) + " were passed over");
    if (this.dropped) words.push(this.dropped + " earlier lines are in the file only");
    this.cut.hidden = !words.length;
    this.cut.textContent = words.join("; ");
  }
}
