// How a lane is drawn. Of more entries than pixels, a column shows their extremes.

function drawLane(chart, pen, lane, top, colour) {
  const height = HEIGHT_PX[lane.kind];
  const draws = { analog: drawAnalog, digital: drawDigital, words: drawWords, marks: drawMarks };
  pen.strokeStyle = colour;
  pen.fillStyle = colour;
  pen.lineWidth = 1.5;
  pen.save();
  pen.beginPath();
  pen.rect(0, top, lane.kind === "analog" ? chart.width + LABELS_PX : chart.width, height);
  pen.clip();
  draws[lane.kind](chart, pen, lane, top + 15, height - 17, colour);
  pen.restore();
  pen.fillStyle = colourOf("--soft");
  pen.fillText(printable(lane.name), 4, top + 11);
}

/** Return the span of entries that are seen, with one on each side. */
function seen(chart, lane) {
  const [from, to] = chart.timeline.view;
  return [Math.max(0, lastAt(lane.times, from)), Math.min(lane.times.length - 1, lastAt(lane.times, to) + 1)];
}

function drawAnalog(chart, pen, lane, top, height, colour) {
  const finite = lane.values.filter(Number.isFinite).concat(lane.thresholds || []);
  const low = finite.reduce((least, each) => Math.min(least, each), Infinity);
  const high = finite.reduce((most, each) => Math.max(most, each), -Infinity);
  const span = high - low || 1;
  const yAt = (value) => top + height - 2 - ((value - low) / span) * (height - 4);
  const width = chart.width;
  pen.fillStyle = colourOf("--soft");
  const labels = [];
  const label = (value) => {
    const y = Math.min(Math.max(yAt(value) + 4, top + 6), top + height);
    if (labels.every((each) => Math.abs(each - y) > 11)) pen.fillText(number(value), width + 5, y);
    labels.push(y);
  };
  [...(lane.thresholds || []), high, low].forEach(label);
  pen.strokeStyle = colourOf("--soft");
  pen.setLineDash([5, 4]);
  for (const at of lane.thresholds || []) line(pen, 0, yAt(at), width, yAt(at));
  pen.setLineDash([]);
  pen.strokeStyle = colour;
  const [first, last] = seen(chart, lane);
  pen.beginPath();
  pen.rect(0, top - 15, width, height + 17);
  pen.clip();
  pen.beginPath();
  let column = -1;
  for (let index = first; index <= last; index++) {
    const x = chart.xAt(lane.times[index]);
    const y = yAt(lane.values[index]);
    if (last - first > 4 * width && Math.floor(x) === column && index % 8) continue;
    column = Math.floor(x);
    if (index === first) pen.moveTo(x, y);
    else pen.lineTo(x, y);
  }
  pen.stroke();
}

function drawDigital(chart, pen, lane, top, height, colour) {
  const [first, last] = seen(chart, lane);
  const ends_us = Math.max(lane.ends_us || 0, lane.times[lane.times.length - 1]);
  const levels = { 1: top + 1, 0: top + height - 1, z: top + height / 2, x: top + height / 2 };
  let y = null;
  for (let index = first; index <= last; index++) {
    const x = Math.max(chart.xAt(lane.times[index]), 0);
    let end = Math.min(chart.xAt(index + 1 < lane.times.length ? lane.times[index + 1] : ends_us), chart.width);
    const next = levels[lane.values[index]];
    if (y !== null && y !== next) line(pen, x, y, x, next);
    y = next;
    if (end - x < 1) {
      // Edges closer than a pixel are a block.
      let to = index;
      while (to < last && chart.xAt(lane.times[to + 1]) < x + 1.5) to++;
      end = x + 1.5;
      if (to > index + 1) pen.fillRect(x, top + 1, 1.5, height - 2);
      index = Math.max(index, to - 1);
      continue;
    }
    if (lane.values[index] === "1") {
      pen.globalAlpha = 0.15;
      pen.fillRect(x, top + 1, end - x, height - 2);
      pen.globalAlpha = 1;
    }
    pen.setLineDash(lane.values[index] === "z" ? [2, 3] : []);
    pen.strokeStyle = lane.values[index] === "x" ? colourOf("--fail") : colour;
    line(pen, x, y, end, y);
    pen.setLineDash([]);
    pen.strokeStyle = colour;
  }
}

function drawWords(chart, pen, lane, top, height) {
  const [first, last] = seen(chart, lane);
  let said = null;
  let free = -1;
  for (let index = first; index <= last; index++) {
    if (lane.values[index] === said) continue;
    said = lane.values[index];
    const x = Math.max(chart.xAt(lane.times[index]), 0);
    line(pen, x, top, x, top + height);
    if (x < free) continue;
    const words = printable(said);
    pen.fillText(words, x + 4, top + height - 4);
    free = x + 8 + pen.measureText(words).width;
  }
}

function drawMarks(chart, pen, lane, top, height) {
  const [first, last] = seen(chart, lane);
  const width = chart.width;
  let drawn = -2;
  let free = 0;
  for (let index = first; index <= last; index++) {
    const x = chart.xAt(lane.times[index]);
    if (x < 0 || x > width || x - drawn < 1) continue;
    drawn = x;
    line(pen, x, top, x, top + height);
    const next = index < last ? chart.xAt(lane.times[index + 1]) : width;
    const words = printable(lane.values[index]).slice(0, 60);
    if (x >= free && next - x > pen.measureText(words).width + 8) {
      pen.fillText(words, x + 3, top + height - 3);
      free = x + pen.measureText(words).width + 6;
    }
  }
}
