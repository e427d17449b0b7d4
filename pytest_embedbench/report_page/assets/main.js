// What is seen follows the address: #tests&FILTERS, #test=TEST, #test=TEST&with=TEST.

let MATRIX = null;

function linkTo(parameters) {
  return "#" + new URLSearchParams(parameters).toString();
}

/** Return the address of the list, with the filters that are set. */
function listHash() {
  const words = new URLSearchParams(MATRIX.parameters()).toString();
  return "#tests" + (words ? "&" + words : "");
}

function backLink() {
  return h("a", { href: listHash() }, "\u2190 All tests");
}

let shownHash = null;

async function route() {
  const hash = location.hash.slice(1);
  const parameters = new URLSearchParams(hash);
  const overview = document.getElementById("overview");
  const detail = document.getElementById("detail");
  const key = parameters.get("test");
  shownHash = hash;
  CHARTS.length = 0;
  overview.hidden = key !== null;
  detail.hidden = key === null;
  if (key === null) {
    detail.replaceChildren();
    if (/^tests/.test(hash) || !hash) {
      if (parameters.size > 1) MATRIX.set(parameters);
      if (lastRow && lastRow.isConnected) lastRow.focus();
      else if (hash) document.getElementById("tests").scrollIntoView();
      lastRow = null;
    } else document.getElementById(hash)?.scrollIntoView();
    return;
  }
  const [test, other] = [key, parameters.get("with")].map((each) => DATA.byKey.get(each));
  detail.replaceChildren(h("p", { role: "status" }, "Unpacking ..."));
  if (!test || (parameters.has("with") && !other)) {
    detail.replaceChildren(h("nav", {}, backLink()),
      h("h2", { tabindex: "-1" }, "There is no such test in this page"),
      h("p", {}, printable(test ? parameters.get("with") : key)));
  } else {
    await (other ? showCompared(detail, test, other) : showDetail(detail, test, parameters));
  }
  if (shownHash !== hash) return;
  scrollTo(0, 0);
  detail.querySelector("h2").focus({ preventScroll: true });
}

let lastRow = null;

function start() {
  loadData();
  MATRIX = new Matrix(document.getElementById("matrix"));
  MATRIX.fill();
  startTheme();
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the address says what is seen
    document.getElementById("main").focus();
  });
  document.getElementById("print").addEventListener("click", () => print());
  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest(".matrix a");
    if (link) lastRow = link;
  });
  addEventListener("hashchange", route);
  route();
  document.documentElement.dataset.ready = "yes";
}

document.addEventListener("DOMContentLoaded", start);
