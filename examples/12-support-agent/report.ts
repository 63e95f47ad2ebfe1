/** The figures of arms side by side, by the sort of request. */
import { costOf, type Measured } from './arm.ts'
import { PROCEDURES } from './procedures.ts'

/** The figures of one arm for one sort of request. */
export interface Figures {
  readonly tasks: number
  readonly calls: number
  readonly prompt: number
  readonly completion: number
  readonly shown: number
  readonly cost: number
  /** Seconds of the simulated clock. */
  readonly seconds: number
  /** Tasks with the end state and the answer of the bare agent. */
  readonly right: number
}

export interface Row {
  readonly shape: string
  readonly sort: string
  readonly arms: readonly Figures[]
}

/** Returns a row for each sort of request, and one for all. The first arm says what is right. */
export function rowsOf(arms: readonly (readonly Measured[])[]): readonly Row[] {
  const right = new Map(arms[0]?.map(({ task, state }) => [task.number, state]))
  const all = (shape?: string): readonly Figures[] =>
    arms.map((arm) =>
      figuresOf(
        arm.filter(({ task }) => shape === undefined || task.shape === shape),
        right,
      ),
    )
  return [
    ...Object.entries(PROCEDURES).map(([shape, { sort }]) => ({ shape, sort, arms: all(shape) })),
    { shape: 'all', sort: '', arms: all() },
  ].filter(({ arms: [first] }) => first !== undefined && first.tasks > 0)
}

function figuresOf(arm: readonly Measured[], right: ReadonlyMap<string, string>): Figures {
  const sum = (of: (one: Measured) => number): number => arm.reduce((total, one) => total + of(one), 0)
  return {
    tasks: arm.length,
    calls: sum(({ calls }) => calls),
    prompt: sum(({ prompt }) => prompt),
    completion: sum(({ completion }) => completion),
    shown: sum(({ shown }) => shown),
    cost: sum(costOf),
    seconds: sum(({ ms }) => ms) / 1000,
    right: arm.filter(({ task, state }) => right.get(task.number) === state).length,
  }
}

const WIDTH = 36

/** Returns the table. `!` marks sorts of requests that cost more with skills than without. */
export function tableOf(rows: readonly Row[]): string {
  const head = ['', 'tasks', 'model calls', 'tokens in', 'tokens out', 'cost, US cents', 'seconds', 'right'].map((text, i) =>
    i === 0 ? text.padEnd(WIDTH) : text.padStart(i === 1 ? 5 : 17),
  )
  const lines = rows.map(({ shape, arms }) => {
    const [bare, , skills] = arms
    const flag = bare !== undefined && skills !== undefined && skills.cost > bare.cost ? '!' : ' '
    const cells = [
      (one: Figures) => String(one.calls),
      (one: Figures) => thousands(one.prompt),
      (one: Figures) => thousands(one.completion),
      (one: Figures) => (one.cost * 100).toFixed(1),
      (one: Figures) => one.seconds.toFixed(0),
      (one: Figures) => String(one.right),
    ].map((cell) => pair(arms, cell).padStart(17))
    return `${flag} ${shape}`.padEnd(WIDTH) + [String(bare?.tasks ?? 0).padStart(5), ...cells].join('')
  })
  return [head.join('').trimEnd(), ...lines].join('\n')
}

/** The arms `bare` and `wrapped` are one figure if they are equal. */
function pair(arms: readonly Figures[], cell: (one: Figures) => string): string {
  const texts = arms.map(cell)
  return (texts[0] === texts[1] ? texts.slice(1) : texts).join(' → ')
}

function thousands(count: number): string {
  return count < 100_000 ? `${(count / 1000).toFixed(1)} k` : `${Math.round(count / 1000)} k`
}

/** Counts how proposals ended. */
export function endsOf(arm: readonly Measured[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const end of arm.flatMap(({ ends }) => ends)) counts.set(end, (counts.get(end) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)))
}

/** What skills save and cost for each task, and from which share of fitting tasks on they pay. */
export interface BreakEven {
  /** US dollars that a task saves in which a skill was carried out. */
  readonly saved: number
  /** US dollars that each other task costs more. */
  readonly lost: number
  /** The share of tasks in which a skill must be carried out. */
  readonly share: number
  /** The share in which one was. */
  readonly found: number
}

export function breakEven(bare: readonly Measured[], skills: readonly Measured[]): BreakEven {
  const deltas = skills.map((one, i) => ({ ran: one.ends.includes('ok'), delta: costOf(one) - costOf(bare[i] ?? one) }))
  const mean = (ran: boolean): number => {
    const those = deltas.filter((one) => one.ran === ran)
    return those.length === 0 ? 0 : those.reduce((sum, { delta }) => sum + delta, 0) / those.length
  }
  const [saved, lost] = [-mean(true), mean(false)]
  return { saved, lost, share: lost / (saved + lost), found: deltas.filter(({ ran }) => ran).length / deltas.length }
}
