import { isObject } from '../../../src/kernel/journal/json.ts'
import type { Kind } from '../../../src/kernel/step/kind.ts'

interface Graph {
  readonly topic: string
  readonly nodes: number
}

type Step = Parameters<Kind<Graph>['step']>[0]

/** Shaped after a dataflow: each event is one pass over all nodes, and no effect. */
export const net: Kind<Graph> = {
  name: 'net',
  rev: 1,
  compile: (source) => source as unknown as Graph,
  step(x, input) {
    if (input === undefined) listen(x)
    else if (input[0] === 'message') pass(x, isObject(input[2]) ? input[2] : {})
  },
}

function listen(x: Step): void {
  x.wait('message', x.def.topic)
}

function pass(x: Step, { amount, stop }: { readonly amount?: unknown; readonly stop?: unknown }): void {
  const events = Number(x.get('events') ?? 0)
  if (stop === true) return x.done({ events, sum: x.get('sum') ?? 0 })
  let value = Number(amount ?? 0)
  for (let node = 1; node < x.def.nodes; node++) value = (value * 31 + node) % 65_521
  x.set('events', events + 1)
  x.set('sum', (Number(x.get('sum') ?? 0) + value) % 65_521)
  listen(x)
}
