// One attempt at one test.

const PAIRS = { class: "pairs" };

async function showDetail(host, test, parameters) {
  const evidence = await evidenceOf(test);
  const lanes = evidence ? allLanes(evidence) : [];
  const timeline = timelineOf(lanes);
  const [file, name] = parted(test.group);
  show(
    host,
    h("nav", { "aria-label": "Where you are" }, backLink(), stepLinks(test)),
    h("p", { class: "file" }, printable(file)),
    h("h2", { tabindex: "-1" }, printable(name)),
    verdictLine(test, evidence),
    reasonOf(test, evidence),
    tracebackOf(evidence),
    briefOf(evidence ? evidence.brief : {}),
    h("div", { class: "tools" }, compareForm(test), shareButton(test, timeline)),
    evidence ? null : noRoom(test),
    cutsOf(evidence));
  if (evidence) host.append(evidenceView(test, evidence, lanes, timeline), restOf(test, evidence));
  if (parameters.has("at")) timeline.point(Number(parameters.get("at")) || 0, "kept");
}

/** Plot and transcripts, over one time. */
function evidenceView(test, evidence, lanes, timeline, differs = {}) {
  const talks = Object.entries(evidence.logs || {}).filter(([name]) => isTranscript(name));
  const drawn = lanes.length ? new Chart(lanes, timeline, { title: "Plot of " + test.test, differs_us: differs.us }) : null;
  const alone = (name) => (differs.lines && differs.lines.get(name)) || new Set();
  const views = talks.map(([name, text]) =>
    new TranscriptView(name, transcriptLines(text), timeline, alone(name)));
  requestAnimationFrame(() => views.forEach((view, index) => {
    const first = least(alone(talks[index][0]));
    if (first < view.rows.length) view.select(first);
  }));
  return h("div", { class: "evidence" }, drawn ? drawn.element : null,
    views.map((view) => view.element),
    drawn || views.length ? null : h("p", { class: "note" }, "It left no transcript, trace or waves."));
}

function verdictLine(test, evidence) {
  const phases = Object.entries((evidence && evidence.record && evidence.record.phases) || {});
  const words = [
    attemptOf(test), duration(test.duration_s),
    phases.map(([name, phase]) => name + " " + duration(Number(phase.duration_s) || 0)).join(", "),
    test.started_at,
  ];
  return h("p", { class: "verdict" },
    h("strong", { class: "outcome " + outcomeClass(test.outcome) }, test.outcome),
    test.blame && test.blame !== "none" ? h("span", { class: "blame" }, "blame: " + test.blame) : null,
    h("span", {}, words.filter(Boolean).join(" \u00b7 ")));
}

function reasonOf(test, evidence) {
  const recorded = evidence && evidence.record && evidence.record.reason;
  const reason = printable(recorded || (evidence && evidence.reason) || test.reason || "");
  if (!reason) return null;
  const [first, ...more] = reason.split("\n");
  return h("div", { class: "why " + outcomeClass(test.outcome) }, h("p", {}, first),
    more.length ? h("details", { open: more.length < 12 }, h("summary", {}, "All of the reason"), h("pre", {}, more.join("\n"))) : null);
}

/** What pytest shows of a failure, folded, of each phase that failed. */
function tracebackOf(evidence) {
  const phases = Object.entries((evidence && evidence.record && evidence.record.phases) || {});
  return phases.filter(([, phase]) => phase && phase.traceback).map(([name, phase]) =>
    h("details", { class: "traceback" }, h("summary", {}, "Traceback of " + printable(name)),
      h("pre", { tabindex: "0", "aria-label": "Traceback of " + name }, printable(phase.traceback))));
}

function briefOf(brief) {
  const sentences = Object.entries(brief || {});
  if (!sentences.length) return null;
  return h("section", { class: "brief" }, h("h3", {}, "What the brief says"),
    h("dl", {}, sentences.map(([name, words]) => [h("dt", {}, name), h("dd", {}, coded(words))])));
}

function noRoom(test) {
  return h("p", { class: "note" }, "There was no room for its evidence in this page: see its folder, ", filesLink(test), ".");
}

function cutsOf(evidence) {
  const cuts = (evidence && evidence.cuts) || [];
  if (!cuts.length) return null;
  return h("ul", { class: "note", "aria-label": "What is not all here" },
    cuts.map((words) => h("li", {}, printable(words))));
}

function restOf(test, evidence) {
  const pages = [];
  const metrics = Object.entries(evidence.metrics || {});
  if (metrics.length) pages.push(["Metrics", () => h("div", {}, metrics.map(([name, figures]) =>
    table(name, ["figure", "value"], Object.entries(figures || {}).map(([key, value]) => [key, number(value)]), PAIRS)))]);
  const pictures = Object.entries(evidence.pictures || {});
  if (pictures.length) pages.push(["Pictures", () => h("div", { class: "pictures" }, pictures.map(([name, source]) =>
    h("figure", {}, h("img", { src: source, alt: name, loading: "lazy" }), h("figcaption", {}, printable(name)))))]);
  const logs = Object.entries(evidence.logs || {}).filter(([name]) => !isTranscript(name));
  if (logs.length) pages.push(["Logs", () => h("div", {}, logs.map(([name, text]) =>
    h("section", {}, h("h3", {}, printable(name)), h("pre", { tabindex: "0", "aria-label": name }, printable(text)))))]);
  const trials = (evidence.record && evidence.record.esr && evidence.record.esr.evidence) || [];
  if (Array.isArray(trials) && trials.length) pages.unshift(["Search for pins", () => searchOf(test, trials)]);
  pages.push(["Build and tools", () => buildOf(evidence.record || {})]);
  pages.push(["Files", () => filesOf(test, evidence)]);
  pages.push(["Record", () => h("pre", { tabindex: "0", "aria-label": "test.json" }, printable(JSON.stringify(evidence.record, null, 2)))]);
  return tabs("More of this test", pages);
}

/** The trials of a search for pins that work, each a link to what it left. */
function searchOf(test, trials) {
  const prefix = DATA.runs.length > 1 ? DATA.runs[test.run].name + ":" : "";
  return table("Trials, in order", ["on", "end", "why"], trials.map((each) => {
    const words = printable([each.how, each.tried].filter(Boolean).join(": "));
    const key = prefix + (each.folder || "");
    return [DATA.byKey.has(key) ? h("a", { href: linkTo({ test: key }) }, words) : words,
      printable(each.end), firstLine(each.why || "")];
  }));
}

function buildOf(record) {
  const image = record.image || {};
  const rows = [
    ["environment", record.environment], ["image, sha256", image.sha256], ["image, key", image.key],
    ["from the cache", image.from_cache], ["seeds", (record.seeds || []).join(", ")],
    ...Object.entries(record.tools || {}),
    ...["host_driver", "target_driver"].filter((name) => record[name]).map((name) => [name, record[name].key]),
  ];
  const known = rows.filter(([, value]) => value !== undefined && value !== null && value !== "");
  if (!known.length) return h("p", { class: "hint" }, "Nothing was built for it.");
  return table("Build", ["what", "value"], known.map(([name, value]) => [name, printable(value)]), PAIRS);
}

function filesOf(test, evidence) {
  return table("Files of this test", ["file", "size"],
    (evidence.files || []).map(([name, size]) => [fileLink(test, name), bytes(size)]), PAIRS);
}

function fileLink(test, name) {
  const place = DATA.runs[test.run].place;
  if (!place || !test.folder) return printable(name);
  const path = [test.folder, name].filter(Boolean).join("/").split("/").map((part) => encodeURIComponent(part.toWellFormed())).join("/");
  return h("a", { href: "./" + place + "/" + path }, printable(name || test.folder));
}

function filesLink(test) {
  return test.folder ? fileLink(test, "") : "which it has none of";
}

function stepLinks(test) {
  const shown = MATRIX.shown && MATRIX.shown.length ? MATRIX.shown : DATA.tests;
  const at = shown.indexOf(test);
  const link = (to, words) => (shown[to] && at >= 0 ? h("a", { href: linkTo({ test: shown[to].key }) }, words) : null);
  return [link(at - 1, "Previous"), link(at + 1, "Next")];
}

function compareForm(test) {
  const others = DATA.byGroup.get(test.group).filter((each) => each !== test);
  if (!others.length) return null;
  const select = h("select", {}, others.slice(0, 500).map((each) =>
    h("option", { value: each.key }, attemptOf(each) + ": " + each.outcome)));
  return h("form", { submit: (event) => {
    event.preventDefault();
    location.hash = linkTo({ test: test.key, with: select.value });
  } }, h("label", {}, "Compare with", select), h("button", {}, "Compare"));
}

/** Put a link to what is seen where it can be pasted. */
function shareButton(test, timeline) {
  const said = h("span", { role: "status" });
  const copy = async () => {
    const at = timeline.cursor_us;
    const hash = linkTo({ test: test.key, ...(at === null ? {} : { at: Math.round(at) }) });
    history.replaceState(null, "", hash);
    try {
      await navigator.clipboard.writeText(location.href);
      said.textContent = "The link is copied.";
    } catch {
      said.textContent = "The link is in the address bar.";
    }
  };
  return [h("button", { type: "button", click: copy }, "Copy link"), said];
}
