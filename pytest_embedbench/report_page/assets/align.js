// Two of a kind laid side by side: lines by what they say, samples and edges by time.

const MOST_EDITS = 1500;

/**
 * Return pairs of indexes of equal texts, rising in both lists, as many as there can be:
 * a line that one side has more does not make all after it differ (Myers' O(ND)).
 * Of lists that are too unlike for that, they are those of equal beginnings and ends.
 */
function equalPairs(left, right) {
  const most = Math.min(left.length, right.length);
  let head = 0;
  while (head < most && left[head] === right[head]) head++;
  let tail = 0;
  while (tail < most - head && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail++;
  const middle = middlePairs(left.slice(head, left.length - tail), right.slice(head, right.length - tail));
  const pairs = [
    ...Array.from({ length: head }, (_, index) => [index, index]),
    ...(middle || []).map(([first, second]) => [head + first, head + second]),
    ...Array.from({ length: tail }, (_, index) => [left.length - tail + index, right.length - tail + index]),
  ];
  return { pairs, tooUnlike: middle === null };
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

/**
 * Compare two transcripts: what either has alone, and how far equal lines are apart.
 * Of one that `isCut`, what the other has after its end is not compared.
 */
function comparedLines(left, right, isCut = [false, false]) {
  const said = (line) => line.way + " " + line.text;
  const { pairs, tooUnlike } = equalPairs(left.map(said), right.map(said));
  const ends = [0, 1].map((side) => (pairs.length ? pairs[pairs.length - 1][side] + 1 : 0));
  const isOver = [left, right].map((lines, side) => isCut[side] && ends[side] === lines.length);
  const alone = [left, right].map((lines, side) => {
    const shared = new Set(pairs.map((pair) => pair[side]));
    const end = isOver[1 - side] ? ends[side] : lines.length;
    return new Set(Array.from({ length: end }, (_, index) => index).filter((index) => !shared.has(index)));
  });
  const apart = pairs
    .map(([first, second]) => ({ first, second, us: Math.abs(left[first].at_us - right[second].at_us) }))
    .reduce((most, each) => (each.us > most.us ? each : most), { us: 0 });
  return { alone, apart, tooUnlike };
}

/** Return files of two attempts as pairs: by name, then, if as many are left, in their order. */
function pairedFiles(left, right) {
  const pairs = left.filter((name) => right.includes(name)).map((name) => [name, name]);
  const alone = [left, right].map((names, side) => names.filter((name) => !pairs.some((pair) => pair[side] === name)));
  if (alone[0].length !== alone[1].length) return { pairs, alone };
  return { pairs: [...pairs, ...alone[0].map((name, index) => [name, alone[1][index]])], alone: [[], []] };
}

/** Return signals of two files as pairs, and the names of those that one has alone. */
function pairedLanes(left, right) {
  const other = (lane, lanes) => lanes.find((each) => each.signal === lane.signal);
  return {
    pairs: left.map((lane) => [lane, other(lane, right)]).filter(([, found]) => found),
    alone: [[left, right], [right, left]].map(([lanes, others]) =>
      lanes.filter((lane) => !other(lane, others)).map((lane) => lane.signal)),
  };
}

function earliest(found) {
  return found.filter(Boolean).reduce((first, each) => (first && first.us <= each.us ? first : each), null);
}

/** Return the first sample that differs at a time that both have, or where one has no more; or null. */
function firstSample(lane, other, isCut) {
  const found = firstUnlike(lane, other, isCut);
  if (found === null) return null;
  const both = [lane, other];
  const times = both.map((each, side) => each.times[found[side]]);
  return {
    lane: lane.signal, at_us: times, us: Math.min(...times.filter((each) => each !== undefined)),
    indexes: found.map((index, side) => (times[side] === undefined ? null : index)),
    words: both.map((each, side) => each.words[found[side]]),
  };
}

function firstUnlike(lane, other, isCut) {
  let [first, second, shared] = [0, 0, 0];
  while (first < lane.stamps.length && second < other.stamps.length) {
    const ahead = lane.stamps[first] - other.stamps[second];
    if (ahead === 0 && !isSameFigure(lane.words[first], other.words[second])) return [first, second];
    if (ahead === 0) shared++;
    if (ahead <= 0) first++;
    if (ahead >= 0) second++;
  }
  const isOver = first === lane.stamps.length && second === other.stamps.length;
  return isOver || isCut || (!shared && lane.stamps.length && other.stamps.length) ? null : [first, second];
}

function isSameFigure(word, other) {
  return word === other || (word !== "" && other !== "" && Number(word) === Number(other));
}

/** Say how many times of samples two signals have both, and whether they are all. */
function sharedTimes(lane, other) {
  const stamps = new Set(other.stamps);
  const count = lane.stamps.filter((each) => stamps.has(each)).length;
  return { count, areAll: count === lane.stamps.length && count === stamps.size };
}

/** Return the first edge of a net that comes at another time, or to another level; or null. */
function firstEdge(lane, other, until_us) {
  const steps = [lane, other].map((each) => each.times
    .map((at_us, index) => ({ at_us, ps: Math.round(at_us * 1e6), level: each.values[index] }))
    .filter((step) => step.at_us <= until_us));
  const most = Math.max(...steps.map((each) => each.length));
  let at = 0;
  const isSame = ([one, two]) => one && two && one.ps === two.ps && one.level === two.level;
  while (at < most && isSame(steps.map((each) => each[at]))) at++;
  if (at === most) return null;
  const found = steps.map((each) => each[at]);
  const at_us = found.map((each) => (each ? each.at_us : undefined));
  return {
    lane: lane.signal, at_us, us: Math.min(...at_us.filter((each) => each !== undefined)),
    levels: found.map((each) => (each ? each.level : undefined)),
  };
}
