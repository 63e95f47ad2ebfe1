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
  readonly before: Figures
  readonly after: Figures
}

/** Returns a row for each sort of request, and one for all. `judge`: the arm whose end states and answers are right. */
export function rowsOf(judge: readonly Measured[], arms: readonly [readonly Measured[], readonly Measured[]]): readonly Row[] {
  const right = new Map(judge.map(({ task, state }) => [task.number, state]))
  const rowOf = (shape: string, isOf: (one: Measured) => boolean): Row => {
    const [before, after] = arms.map((arm) => figuresOf(arm.filter(isOf), right))
    if (before === undefined || after === undefined) throw new Error('a row has two arms')
    return { shape, before, after }
  }
  const rows = Object.keys(PROCEDURES).map((shape) => rowOf(shape, ({ task }) => task.shape === shape))
  return [...rows, rowOf('all', () => true)].filter(({ before }) => before.tasks > 0)
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

const COLUMNS = [
  { name: 'calls', width: 13, of: ({ calls }: Figures) => String(calls) },
  { name: 'k tokens', width: 14, of: ({ prompt, completion }: Figures) => ((prompt + completion) / 1000).toFixed(0) },
  { name: 'cents', width: 14, of: ({ cost }: Figures) => (cost * 100).toFixed(1) },
  { name: 'seconds', width: 13, of: ({ seconds }: Figures) => seconds.toFixed(0) },
] as const

/** Returns the table of two arms. `!` marks sorts of requests that cost more in the second. */
export function tableOf(rows: readonly Row[]): string {
  const head = `${' '.repeat(30)}tasks${COLUMNS.map(({ name, width }) => name.padStart(width)).join('')}`
  const lines = rows.map(({ shape, before, after }) => {
    const cells = COLUMNS.map(({ width, of }) => `${of(before)} → ${of(after)}`.padStart(width))
    const wrong = after.tasks - after.right
    return `${after.cost > before.cost ? '!' : ' '} ${shape.padEnd(28)}${String(before.tasks).padStart(5)}${cells.join('')}${wrong === 0 ? '' : `  ${wrong} wrong`}`
  })
  return [head, ...lines].join('\n')
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
