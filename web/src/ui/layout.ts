// The fixed layout of the job's state diagram. The phases and transitions come from the engine; only where they are drawn is
// decided here, once, so that the picture stays the same in every lesson and every version.

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly node: { readonly width: number; readonly height: number };
  /** Centres of the phases. */
  readonly places: Readonly<Record<string, Point>>;
  /** Where a job that was never synced stands: the dot in front of Pending. */
  readonly start: Point;
  /** Corners of each edge, from border to border. Edges of one bundle share their middle part on purpose. */
  readonly routes: Readonly<Record<string, readonly (readonly [number, number])[]>>;
}

/** From left to right, for panes. */
export const kWide: Picture = {
  width: 640,
  height: 288,
  node: { width: 120, height: 32 },
  places: {
    Pending: { x: 68, y: 130 },
    Restarting: { x: 230, y: 46 },
    Running: { x: 230, y: 130 },
    Aborting: { x: 418, y: 46 },
    Completing: { x: 418, y: 206 },
    Terminating: { x: 418, y: 262 },
    Aborted: { x: 572, y: 46 },
    Failed: { x: 572, y: 130 },
    Completed: { x: 572, y: 206 },
    Terminated: { x: 572, y: 262 },
  },
  start: { x: 38, y: 88 },
  // prettier-ignore
  routes: {
    '>Pending': [[38, 93], [38, 114]],
    'Pending>Running': [[128, 124], [170, 124]],
    'Running>Pending': [[170, 136], [128, 136]],
    'Pending>Restarting': [[106, 114], [106, 54], [170, 54]],
    'Restarting>Pending': [[170, 40], [84, 40], [84, 114]],
    'Running>Restarting': [[230, 114], [230, 62]],
    'Restarting>Failed': [[268, 62], [268, 88], [572, 88], [572, 114]],
    'Running>Failed': [[290, 130], [512, 130]],
    'Running>Completed': [[290, 130], [494, 130], [494, 206], [512, 206]],
    'Running>Aborting': [[290, 130], [324, 130], [324, 54], [358, 54]],
    'Running>Completing': [[290, 130], [324, 130], [324, 206], [358, 206]],
    'Running>Terminating': [[290, 130], [324, 130], [324, 262], [358, 262]],
    'Pending>Aborting': [[68, 146], [68, 170], [324, 170], [324, 54], [358, 54]],
    'Pending>Completing': [[68, 146], [68, 170], [324, 170], [324, 206], [358, 206]],
    'Pending>Terminating': [[68, 146], [68, 170], [324, 170], [324, 262], [358, 262]],
    'Aborting>Restarting': [[358, 38], [290, 38]],
    'Aborting>Aborted': [[478, 46], [512, 46]],
    'Aborted>Restarting': [[572, 30], [572, 12], [230, 12], [230, 30]],
    'Completing>Completed': [[478, 206], [512, 206]],
    'Terminating>Terminated': [[478, 262], [512, 262]],
  },
};

/** From top to bottom, for phones. */
export const kTall: Picture = {
  width: 368,
  height: 344,
  node: { width: 104, height: 32 },
  places: {
    Pending: { x: 60, y: 40 },
    Restarting: { x: 294, y: 40 },
    Running: { x: 177, y: 112 },
    Terminating: { x: 60, y: 194 },
    Completing: { x: 177, y: 194 },
    Aborting: { x: 294, y: 194 },
    Terminated: { x: 60, y: 262 },
    Completed: { x: 177, y: 262 },
    Aborted: { x: 294, y: 262 },
    Failed: { x: 177, y: 324 },
  },
  start: { x: 60, y: 8 },
  // prettier-ignore
  routes: {
    '>Pending': [[60, 12], [60, 24]],
    'Pending>Running': [[92, 56], [92, 106], [125, 106]],
    'Running>Pending': [[125, 118], [76, 118], [76, 56]],
    'Pending>Restarting': [[112, 34], [242, 34]],
    'Restarting>Pending': [[242, 46], [112, 46]],
    'Running>Restarting': [[229, 112], [262, 112], [262, 56]],
    'Restarting>Failed': [[346, 46], [362, 46], [362, 324], [229, 324]],
    'Running>Failed': [[146, 128], [146, 142], [119, 142], [119, 324], [125, 324]],
    'Running>Completed': [[208, 128], [208, 142], [235, 142], [235, 262], [229, 262]],
    'Running>Terminating': [[177, 128], [177, 156], [60, 156], [60, 178]],
    'Running>Completing': [[177, 128], [177, 178]],
    'Running>Aborting': [[177, 128], [177, 156], [284, 156], [284, 178]],
    'Pending>Terminating': [[28, 56], [28, 156], [60, 156], [60, 178]],
    'Pending>Completing': [[28, 56], [28, 156], [177, 156], [177, 178]],
    'Pending>Aborting': [[28, 56], [28, 156], [284, 156], [284, 178]],
    'Aborting>Restarting': [[318, 178], [318, 56]],
    'Aborting>Aborted': [[294, 210], [294, 246]],
    'Aborted>Restarting': [[346, 262], [354, 262], [354, 34], [346, 34]],
    'Completing>Completed': [[177, 210], [177, 246]],
    'Terminating>Terminated': [[60, 210], [60, 246]],
  },
};

export interface Route {
  /** The line, with rounded corners, ending a little before the arrow's tip. */
  readonly line: string;
  readonly arrow: string;
}

const kCorner = 7;

function toward(from: readonly [number, number], to: readonly [number, number], distance: number): [number, number] {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  const part = Math.min(distance, length / 2) / length;
  return [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part];
}

function draw(points: readonly (readonly [number, number])[]): Route {
  const tip = points.at(-1)!;
  const before = points.at(-2)!;
  const [dx, dy] = [Math.sign(tip[0] - before[0]), Math.sign(tip[1] - before[1])];
  const base: [number, number] = [tip[0] - dx * 7, tip[1] - dy * 7];
  let line = `M${points[0]!.join(' ')}`;
  for (let index = 1; index < points.length - 1; ++index) {
    const corner = points[index]!;
    line += `L${toward(corner, points[index - 1]!, kCorner).join(' ')}Q${corner.join(' ')} ${toward(corner, points[index + 1]!, kCorner).join(' ')}`;
  }
  line += `L${base.join(' ')}`;
  const arrow = `M${tip.join(' ')}L${base[0] - dy * 4} ${base[1] - dx * 4}L${base[0] + dy * 4} ${base[1] + dx * 4}z`;
  return { line, arrow };
}

/** The route of a transition. One that the picture does not know (it knows all of the controller's) is a straight line. */
export function routeOf(picture: Picture, from: string, to: string): Route | null {
  const points = picture.routes[`${from}>${to}`];
  if (points) return draw(points);
  const [a, b] = [from === '' ? picture.start : picture.places[from], picture.places[to]];
  return a && b
    ? draw([
        [a.x, a.y],
        [b.x, b.y],
      ])
    : null;
}

/** True if a transition is shown even before it was taken: all but those out of the start dot, except the first. */
export function isDrawn(picture: Picture, from: string, to: string): boolean {
  return `${from}>${to}` in picture.routes;
}
