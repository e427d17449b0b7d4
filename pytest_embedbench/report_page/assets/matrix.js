// Tests x boards, with filters. Rows come in portions, so that thousands open at once.

const PORTION = 150;
const MOST_COLUMNS = 12;
const FILTERS = ["outcome", "blame", "board", "submission", "run", "q"];

class Matrix {
  constructor(host) {
    this.filters = Object.fromEntries(FILTERS.map((name) => [name, ""]));
    this.status = h("p", { role: "status", class: "count" });
    this.controls = {};
    this.form = this.makeForm();
    this.head = h("tr", {});
    this.table = h("table", { class: "matrix" },
      h("caption", { class: "hidden" }, "Tests and how they ended on each board"),
      h("thead", {}, this.head));
    this.table.addEventListener("keydown", (event) => this.typed(event));
    this.more = h("button", { type: "button", class: "more", click: () => this.addRows() });
    host.append(this.form, this.status, h("div", { class: "scrolls" }, this.table), this.more);
    new IntersectionObserver((seen) => seen.some((each) => each.isIntersecting) && this.addRows(),
      { rootMargin: "600px" }).observe(this.more);
    addEventListener("beforeprint", () => this.addRows(2000));
  }

  makeForm() {
    const counted = (name, words) => {
      const counts = new Map();
      for (const test of DATA.tests) {
        const value = this.valueOf(test, name);
        if (value) counts.set(value, (counts.get(value) || 0) + 1);
      }
      if (!counts.size || (name !== "outcome" && name !== "blame" && counts.size < 2)) return null;
      const options = [...counts].sort().map(([value, count]) =>
        h("option", { value }, value + " (" + count + ")"));
      this.controls[name] = h("select", { name, change: () => this.changed() },
        h("option", { value: "" }, "all"), options);
      return h("label", {}, words, this.controls[name]);
    };
    this.controls.q = h("input", {
      type: "search", name: "q", placeholder: "name, reason, sentence", input: () => this.changed(),
    });
    return h("form", { class: "filters", role: "search", "aria-label": "Filter tests",
      submit: (event) => event.preventDefault() },
      counted("outcome", "Outcome"), counted("blame", "Blame"), counted("board", "Board"),
      counted("submission", "Submission"), counted("run", "Run"),
      h("label", { class: "wide" }, "Text", this.controls.q),
      h("button", { type: "button", click: () => this.clear() }, "Clear filters"));
  }

  valueOf(test, name) {
    if (name === "run") return DATA.runs.length > 1 ? DATA.runs[test.run].name : "";
    return test[name];
  }

  changed() {
    for (const name of FILTERS) {
      if (this.controls[name]) this.filters[name] = this.controls[name].value;
    }
    history.replaceState(null, "", listHash());
    this.fill();
  }

  clear() {
    for (const control of Object.values(this.controls)) control.value = "";
    this.changed();
    this.controls.q.focus();
  }

  /** Take filters from a link; what is no choice here is passed over. */
  set(parameters) {
    for (const [name, control] of Object.entries(this.controls)) {
      control.value = parameters.get(name) || "";
      this.filters[name] = control.value;
    }
    this.fill();
  }

  parameters() {
    return FILTERS.filter((name) => this.filters[name]).map((name) => [name, this.filters[name]]);
  }

  passes(test) {
    for (const name of FILTERS) {
      const wanted = this.filters[name];
      if (!wanted) continue;
      if (name === "q") {
        if (!wanted.toLowerCase().split(/\s+/).every((word) => textOf(test).includes(word))) return false;
      } else if (this.valueOf(test, name) !== wanted) return false;
    }
    return true;
  }

  fill() {
    this.shown = DATA.tests.filter((test) => this.passes(test));
    const groups = new Map();
    const columns = new Set();
    for (const test of this.shown) {
      if (!groups.has(test.group)) groups.set(test.group, []);
      groups.get(test.group).push(test);
      columns.add(columnOf(test));
    }
    this.groups = [...groups];
    const all = [...columns].sort();
    this.columns = all.slice(0, MOST_COLUMNS);
    const hidden = all.length - this.columns.length;
    this.status.textContent =
      count(this.shown.length) + " of " + count(DATA.tests.length) + " results, of " +
      count(this.groups.length) + " tests" +
      (hidden ? "; " + hidden + " more columns: choose a submission, a board or a run" : "");
    this.head.replaceChildren(
      ...["Test", ...this.columns, "Reason", "Time"].map((name) =>
        h("th", { scope: "col", class: name === "Reason" ? "reason" : false }, name)));
    for (const body of [...this.table.tBodies]) body.remove();
    this.next = 0;
    this.body = null;
    this.file = null;
    this.addRows();
  }

  addRows(portion = PORTION) {
    const end = Math.min(this.next + portion, this.groups.length);
    for (; this.next < end; this.next++) {
      const [group, tests] = this.groups[this.next];
      const [file, name] = parted(group);
      if (file !== this.file) {
        this.file = file;
        this.body = h("tbody", {}, h("tr", { class: "file" },
          h("th", { scope: "rowgroup", colspan: this.columns.length + 3 }, printable(file))));
        this.table.append(this.body);
      }
      this.body.append(this.row(name, tests));
    }
    const left = this.groups.length - this.next;
    this.more.hidden = !left;
    this.more.textContent = "Show more (" + count(left) + " tests are left)";
  }

  row(name, tests) {
    const failed = tests.find((test) => test.reason && test.outcome !== "passed") || tests.find((test) => test.reason);
    const time = tests.reduce((sum, test) => sum + test.duration_s, 0);
    return h("tr", {},
      h("th", { scope: "row" }, printable(name)),
      this.columns.map((column) =>
        h("td", {}, tests.filter((test) => columnOf(test) === column).map((test) => cellOf(test, name)))),
      h("td", { class: "reason" }, failed ? firstLine(failed.reason) : ""),
      h("td", { class: "time" }, duration(time)));
  }

  /** Arrow keys go from cell to cell. */
  typed(event) {
    const link = event.target.closest("a");
    const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    if (!link || !moves[event.key]) return;
    event.preventDefault();
    const [down, right] = moves[event.key];
    const cell = link.closest("td");
    const rows = [...this.table.rows];
    let row = rows.indexOf(cell.parentElement) + down;
    let column = cell.cellIndex + right;
    while (rows[row]) {
      const target = rows[row].cells[column] && rows[row].cells[column].querySelector("a");
      if (target) return target.focus();
      if (down) row += down;
      else if (!rows[row].cells[(column += right)]) return;
    }
  }
}

function cellOf(test, name) {
  const again = test.attempt > 1 ? " (attempt " + test.attempt + ")" : "";
  return h("a", { class: "outcome " + outcomeClass(test.outcome), href: linkTo({ test: test.key }) },
    test.outcome + again, h("span", { class: "hidden" }, " on " + columnOf(test) + ": " + name));
}

function outcomeClass(outcome) {
  return ["passed", "failed", "skipped"].includes(outcome) ? outcome : "odd";
}

function textOf(test) {
  if (!test.text)
    test.text = [test.test, test.reason, test.board, test.blame, test.submission, ...test.brief].join("\n").toLowerCase();
  return test.text;
}

function count(value) {
  return value.toLocaleString("en");
}
