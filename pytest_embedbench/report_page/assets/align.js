// Two of a kind laid side by side: lines by what they say, samples and edges by time.

const MOST_EDITS = 1500;

/**
 * Return pairs of indexes of equal texts, rising in both lists, as many as there can be:
 * a line that one side has more does not make all after it differ (Myers' O(ND)).
 * Where the lists are too unlike for that, it is null.
 */
function equalPairs(left, right) {
  const most = Math.min(left.length, right.length);
  let head = 0;
  while (head < most && left[head] === right[head]) head++;
  let tail = 0;
  while (tail < most - head && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail++;
  const middle = middlePairs(left.slice(head, left.length - tail), right.slice(head, right.length - tail));
  if (middle === null) return null;
  return [
    ...Array.from({ length: head }, (_, index) => [index, index]),
    ...middle.map(([first, second]) => [head + first, head + second]),
    ...Array.from({ length: tail }, (_, index) => [left.length - tail + index, right.length - tail + index]),
  ];
}

function middlePairs(left, right) {
  const most = Math.min(left.length + right.length, MOST_EDITS);
  const reach = new Int32Array(2 * most + 3); // how far each diagonal has come, from -most - 1
  const steps = [];
  for (let edits = 0; edits <= most; edits++) {
    steps.push(reach.slice(most - edits, most + edits + 3)); // from diagonal -edits - 1
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = most + 1 + diagonal;
      const isDown = diagonal === -edits || (diagonal !== edits && reach[at - 1] < reach[at + 1]);
      let first = isDown ? reach[at + 1] : reach[at - 1] + 1;
      while (first < left.length && first - diagonal < right.length && left[first] === right[first - diagonal]) first++;
      reach[at] = first;
      if (first >= left.length && first - diagonal >= right.length) return traced(steps, left.length, right.length);
    }
  }
  return null;
}

/** Go back the way on which both ends were reached, and return the equal pairs on it. */
function traced(steps, first, second) {
  const pairs = [];
  for (let edits = steps.length - 1; edits > 0; edits--) {
    const before = (diagonal) => steps[edits][diagonal + edits + 1];
    const diagonal = first - second;
    const isDown = diagonal === -edits || (diagonal !== edits && before(diagonal - 1) < before(diagonal + 1));
    const from = isDown ? diagonal + 1 : diagonal - 1;
    const edited = isDown ? before(from) : before(from) + 1;
    while (first > edited) pairs.push([--first, --second]);
    first = before(from);
    second = first - from;
  }
  while (first > 0) pairs.push([--first, --second]);
  return pairs.reverse();
}

/** Compare two transcripts: what either has alone, and how far equal lines are apart. */
function comparedLines(left, right) {
  const said = (line) => line.way + " " + line.text;
  const pairs = equalPairs(left.map(said), right.map(said));
  const known = pairs || [];
  const alone = [left, right].map((lines, side) => {
    const shared = new Set(known.map((pair) => pair[side]));
    return new Set(lines.map((_, index) => index).filter((index) => !shared.has(index)));
  });
  const apart = known
    .map(([first, second]) => ({ first, second, us: Math.abs(left[first].at_us - right[second].at_us) }))
    .reduce((most, each) => (each.us > most.us ? each : most), { us: 0 });
  return { alone, apart, tooUnlike: pairs === null };
}

/** Return the earliest sample of a plant that differs at a time that both have, or null. */
function firstSample(left, right) {
  let found = null;
  for (const [lane, other] of sharedLanes(left, right, (each) => each.stamps)) {
    const at = firstUnlike(lane, other);
    if (!at) continue;
    const last = (each, index) => Math.min(index, each.times.length - 1);
    const stamp = Math.min(lane.stamps[last(lane, at[0])], other.stamps[last(other, at[1])]);
    if (found !== null && found.stamp <= stamp) continue;
    found = {
      lane: lane.name, index: at[0], stamp,
      at_us: [lane.times[last(lane, at[0])], other.times[last(other, at[1])]],
      values: [lane.values[at[0]], other.values[at[1]]],
    };
  }
  return found;
}

function sharedLanes(left, right, wanted) {
  return left.filter(wanted)
    .map((lane) => [lane, right.find((each) => wanted(each) && each.name === lane.name && each.kind === lane.kind)])
    .filter(([, other]) => other);
}

/** Return the indexes of the first unlike values at one time, or where one has no more. */
function firstUnlike(lane, other) {
  let [first, second] = [0, 0];
  while (first < lane.stamps.length && second < other.stamps.length) {
    const ahead = lane.stamps[first] - other.stamps[second];
    if (ahead === 0 && String(lane.values[first]) !== String(other.values[second])) return [first, second];
    if (ahead <= 0) first++;
    if (ahead >= 0) second++;
  }
  const isOver = first === lane.stamps.length && second === other.stamps.length;
  return isOver ? null : [first, second];
}

/** Return the earliest edge of a net that comes at another time, or to another level. */
function firstEdge(left, right) {
  let found = null;
  for (const [lane, other] of sharedLanes(left, right, (each) => each.ends_us !== undefined)) {
    const most = Math.max(lane.times.length, other.times.length);
    let at = 0;
    while (at < most && lane.times[at] === other.times[at] && lane.values[at] === other.values[at]) at++;
    if (at === most) continue;
    const at_us = [lane, other].map((each) => each.times[at]);
    const earliest = Math.min(...at_us.filter((each) => each !== undefined));
    if (found === null || earliest < found.earliest)
      found = { lane: lane.name, earliest, at_us, values: [lane.values[at], other.values[at]] };
  }
  return found;
}
