import { batch, computed, effect, type ReadonlySignal, signal } from '@preact/signals-core'
import { map, type Observable, share, Subject, zip } from 'rxjs'
import type { Compute } from '../dataflow/floors.ts'
import type { LayeredNode } from '../dataflow/layered.ts'

type Operation = (a: number, b: number, c: number) => number

const OPERATIONS: Readonly<Record<string, Operation>> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  min: (a, b) => Math.min(a, b),
  max: (a, b) => Math.max(a, b),
  gt: (a, b) => Number(a > b),
  select: (a, b, c) => (a === 1 ? b : c),
}

/** The graph as signals: the keys are signals that change in one batch, every other node is computed, and an effect reads the last one. */
export function signalsOf(nodes: readonly LayeredNode[]): Compute {
  const made: ReadonlySignal<number>[] = []
  const keys = nodes.filter(({ op }) => op === 'key').map(() => signal(0))
  nodes.forEach(({ op, operands: [a, b, c], value }, i) => {
    if (op === 'key') return void made.push(keys[i] as ReadonlySignal<number>)
    if (op === 'constant') return void made.push(signal(value))
    const [run, first, second, third] = [OPERATIONS[op] as Operation, made[a as number], made[b as number], made[c ?? (b as number)]]
    const of = op === 'select' ? () => run(first!.value, second!.value, third!.value) : () => run(first!.value, second!.value, 0)
    made.push(computed(of))
  })
  let last = 0
  effect(() => {
    last = (made.at(-1) as ReadonlySignal<number>).value
  })
  return (payload) => {
    batch(() => {
      for (let i = 0; i < keys.length; i++) keys[i]!.value = payload[`k${i}`] as number
    })
    return last
  }
}

/** The graph as observables: every node is the zip of its operands, so that it computes once for each event. */
export function observablesOf(nodes: readonly LayeredNode[]): Compute {
  const made: Observable<number>[] = []
  const subjects: Subject<number>[] = []
  const events = new Subject<void>()
  nodes.forEach(({ op, operands, value }, i) => {
    if (op === 'key') {
      subjects[i] = new Subject<number>()
      made.push(subjects[i] as Subject<number>)
    } else if (op === 'constant')
      made.push(
        events.pipe(
          map(() => value),
          share(),
        ),
      )
    else {
      const run = OPERATIONS[op] as Operation
      const from = operands.map((operand) => made[operand] as Observable<number>)
      made.push(
        zip(from).pipe(
          map(([a, b, c]) => run(a as number, b as number, c ?? 0)),
          share(),
        ),
      )
    }
  })
  let last = 0
  made.at(-1)!.subscribe((value) => {
    last = value
  })
  return (payload) => {
    events.next()
    for (let i = 0; i < subjects.length; i++) subjects[i]!.next(payload[`k${i}`] as number)
    return last
  }
}
