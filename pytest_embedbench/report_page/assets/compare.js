// Two attempts at a test, side by side, on one time.

async function showCompared(host, first, second) {
  const both = [first, second];
  const found = await Promise.all(both.map(evidenceOf));
  const evidence = found.map((each) => each || {});
  const lanes = evidence.map(allLanes);
  const timeline = timelineOf(lanes.flat());
  const isHere = found.every(Boolean);
  const differences = isHere
    ? differencesOf(both, evidence, lanes)
    : { words: ["What is not in this page cannot be compared."], lines: [new Map(), new Map()], at_us: [null, null] };
  const [file, name] = parted(first.group);
  show(
    host,
    h("nav", { "aria-label": "Where you are" }, backLink(),
      h("a", { href: linkTo({ test: second.key, with: first.key }) }, "Swap")),
    h("p", { class: "file" }, printable(file)),
    h("h2", { tabindex: "-1" }, printable(name) + ": compared"),
    h("ul", { class: "differences", "aria-label": "Differences" },
      differences.words.map((each) => h("li", {}, each))),
    h("div", { class: "compared" }, both.map((test, side) =>
      h("section", { "aria-label": attemptOf(test) },
        h("h3", {}, h("a", { href: linkTo({ test: test.key }) }, attemptOf(test))),
        verdictLine(test, evidence[side]), reasonOf(test, evidence[side]), cutsOf(evidence[side]),
        found[side] ? evidenceView(test, evidence[side], lanes[side], timeline, {
          lines: differences.lines[side], us: differences.at_us[side],
        }) : noRoom(test)))),
    isHere ? metricsCompared(both, evidence) : null);
}

/** Return a table of figures for each file of metrics that either has. */
function metricsCompared(both, evidence) {
  const { pairs, alone } = pairedFiles(...evidence.map((each) => Object.keys(each.metrics || {})));
  const all = [...pairs, ...alone[0].map((name) => [name, null]), ...alone[1].map((name) => [null, name])];
  if (!all.length) return h("p", { class: "note" }, "Neither has metrics.");
  return all.map((pair) => {
    const figures = pair.map((name, side) => (name === null ? {} : evidence[side].metrics[name] || {}));
    const title = all.length > 1 ? "Metrics: " + pairTitle(pair.map((name, side) => name ?? pair[1 - side])) : "Metrics";
    return table(title, ["figure", ...both.map(attemptOf), ""], figureRows(figures), { class: "pairs figures" });
  });
}

function figureRows(figures) {
  const names = [...new Set(figures.flatMap(Object.keys))].sort();
  return names.map((name) => {
    const { same, words } = comparedFigures(...figures.map((each) => each[name]));
    return [printable(name), ...words.map((each) => (same ? each : h("strong", { class: "differs" }, each))), same ? "" : "differs"];
  });
}

/** Say whether two figures are the same, and write those that differ so that one sees it. */
function comparedFigures(left, right) {
  const exact = [left, right].map((value) => (value === undefined ? "-" : JSON.stringify(value)));
  const short = [left, right].map((value, side) => (value === undefined || typeof value === "object" ? exact[side] : number(value)));
  const same = exact[0] === exact[1];
  return { same, words: (!same && short[0] === short[1] ? exact : short).map(printable) };
}
