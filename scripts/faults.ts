/**
 * `npm run faults`: stops runs at every moment of their lives and resumes them, and looks at what is left. First every
 * fault at every moment of the subjects that stand in files, then programs drawn from seeds with up to three faults
 * each, and beside both real processes that are killed, stopped, or run out of disk, and connections to Postgres that go silent. At the
 * end runs of all kinds in a cluster whose workers and server fail; `--part cluster` plays only those. The
 * last line is the summary; the exit code is 1 if anything was lost, repeated or else wrong.
 */
import { parseArgs } from 'node:util'
import {
  CIRCUMSTANCES,
  type Circumstance,
  type FaultPoint,
  FaultSuite,
  type KindSubject,
  parsePoint,
  pointText,
} from '../packages/reflex/src/testing/index.ts'
import { faultsOfCluster } from './faults/cluster.ts'
import { Dice } from './faults/dice.ts'
import { drawReal, parseReal, pauseEverywhere, strikeReal, type Tally } from './faults/real.ts'
import { Report } from './faults/report.ts'
import { goSilent } from './faults/silent.ts'
import { drawnSubject, fixedSubjects, subjectNamed } from './faults/subjects.ts'

const POINTS = 12_000
/** Points of each drawn program. */
const PER_PROGRAM = 10
const REAL = 16
/** Points at which a process is stopped at a performance, and at which a connection goes silent. */
const PAUSES = 60
const SILENCES = 1000
/** Runs in a cluster. */
const CLUSTER = 2000
/** Those under which every moment is tried in turn: as they are, one at a time, and the harder ones together. */
const CIRCUMSTANCES_TRIED: readonly (readonly Circumstance[])[] = [
  [],
  ...CIRCUMSTANCES.map((one) => [one]),
  ['slow', 'posts', 'retries'],
  ['slow', 'posts', 'leaves'],
]

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    points: { type: 'string', default: String(POINTS) },
    real: { type: 'string', default: String(REAL) },
    pauses: { type: 'string', default: String(PAUSES) },
    silences: { type: 'string', default: String(SILENCES) },
    cluster: { type: 'string', default: String(CLUSTER) },
    part: { type: 'string' },
    subject: { type: 'string' },
    only: { type: 'string' },
  },
})
const [seed = 0, most = 0, real = 0, pauses = 0, silences = 0, cluster = 0] = [
  values.seed,
  values.points,
  values.real,
  values.pauses,
  values.silences,
  values.cluster,
].map((text) => Math.max(0, Number.parseInt(text, 10) || 0))
const report = new Report()
const tally: Tally = { killed: 0, stopped: 0, fenced: 0, full: 0 }
let current = { subject: '', point: '' }
process.on('unhandledRejection', (thrown) => {
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  report.add({ ...current, violations: [{ breach: 'untyped', text: `nobody caught ${text}` }], records: [] })
})

const named = values.subject === undefined ? undefined : subjectNamed(values.subject)
if (values.subject !== undefined && named === undefined) {
  const names = fixedSubjects().map(({ name }) => name)
  console.error(`error  there is no subject ${values.subject}\n  fix    one of ${names.join(', ')}, workflow-SEED, mixture-SEED`)
  process.exit(2)
}
if (values.part !== undefined && values.part !== 'cluster') {
  console.error(`error  there is no part ${values.part}\n  fix    --part cluster, or leave it out`)
  process.exit(2)
}
const begun = Date.now()
if (values.only !== undefined) await one(values.only)
else {
  if (values.part === undefined) await Promise.all([inProcess(), realProcesses(), silentConnections()])
  await inCluster()
}
console.log(`${((Date.now() - begun) / 1000).toFixed(1)} s`)
console.log(report.line)
process.exitCode = report.failed ? 1 : 0

/** One point, to look at it again. */
async function one(text: string): Promise<void> {
  if (named === undefined) {
    console.error('error  --only needs the subject\n  fix    --subject NAME')
    process.exit(2)
  }
  const suite = await FaultSuite.of(named)
  const strokes = parseReal(text)
  if (strokes === undefined) await strike(suite, parsePoint(text))
  else report.add(await strikeReal(suite, strokes, tally))
}

async function strike(suite: FaultSuite, point: FaultPoint): Promise<void> {
  current = { subject: suite.subject.name, point: pointText(point) }
  const { violations, records } = await suite.inject(point)
  report.add({ ...current, violations, records })
}

async function inProcess(): Promise<void> {
  if (named !== undefined) return void (await everyMoment([named], most))
  const struck = await everyMoment(fixedSubjects(), Math.floor(most / 2))
  await drawnPrograms(most - struck)
}

/** Every fault at every moment, as many of them as there is room for, spread evenly. Answers with how many. */
async function everyMoment(subjects: readonly KindSubject[], room: number): Promise<number> {
  const all: (readonly [FaultSuite, FaultPoint])[] = []
  for (const subject of subjects) {
    const suite = await FaultSuite.of(subject)
    for await (const point of suite.points(...CIRCUMSTANCES_TRIED)) all.push([suite, point])
  }
  const step = Math.max(1, all.length / Math.max(1, room))
  let struck = 0
  for (let at = (seed - 1) % step; at < all.length && struck < room; at += step, struck++) {
    const [suite, point] = all[Math.floor(at)] ?? []
    if (suite !== undefined && point !== undefined) await strike(suite, point)
  }
  console.log(
    `${struck.toLocaleString('en-US')} of ${all.length.toLocaleString('en-US')} faults at every moment of ${subjects.length} subjects`,
  )
  return struck
}

async function drawnPrograms(points: number): Promise<void> {
  let left = points
  let programs = 0
  for (; left > 0; programs++) {
    const dice = new Dice(seed + programs)
    const suite = await FaultSuite.of(drawnSubject(seed + programs))
    for (let i = 0; i < PER_PROGRAM && left > 0; i++, left--) await strike(suite, await suite.draw(dice.next))
  }
  console.log(`${points.toLocaleString('en-US')} drawn faults of ${programs.toLocaleString('en-US')} drawn programs`)
}

/** One after the other, beside what this process does. */
async function realProcesses(): Promise<void> {
  if (process.platform === 'win32') return
  const dice = new Dice(seed)
  for (let i = 0; i < real; i++) {
    const suite = await FaultSuite.of(named ?? drawnSubject(seed + dice.between(0, 999)))
    report.add(await strikeReal(suite, drawReal(dice, i), tally))
  }
  console.log(`${real} of real processes: ${tally.killed} killed, ${tally.fenced} stopped and fenced, ${tally.full} without room`)
  await everyPerformance(dice)
}

/** Stops at every performance of one program after the other, for as many as there is room for. */
async function everyPerformance(dice: Dice): Promise<void> {
  let left = pauses
  let programs = 0
  for (; left > 0; programs++) {
    const suite = await FaultSuite.of(named ?? drawnSubject(seed + dice.between(0, 999)))
    // One without effects has a point too: its undisturbed run.
    left -= Math.max(1, await pauseEverywhere(suite, left, tally, (finding) => report.add(finding)))
    if (named !== undefined) break
  }
  if (pauses > 0) console.log(`${pauses - Math.max(0, left)} stops at every performance of ${programs} programs`)
}

/** Alone: its workers need the processors. */
async function inCluster(): Promise<void> {
  if (named === undefined && cluster > 0) console.log(await faultsOfCluster(cluster, seed, (finding) => report.add(finding)))
}

async function silentConnections(): Promise<void> {
  if (named === undefined && silences > 0) console.log(await goSilent(silences, (finding) => report.add(finding)))
}
