import { isObject, type Json } from '../../../src/kernel/journal/json.ts'
import type { TakenMessage } from '../../../src/kernel/journal/record.ts'
import type { Kind } from '../../../src/kernel/step/kind.ts'

interface Graph {
  readonly topic: string
  readonly nodes: number
  /** The program that events with `dispatch` call. No event is taken until it has returned. */
  readonly calls?: string
}

type Step = Parameters<Kind<Graph>['step']>[0]

interface Event {
  readonly amount?: Json
  readonly dispatch?: Json
  readonly stop?: Json
}

/** Shaped after a dataflow: each event is one pass over all nodes, and a step takes the events that are there, up to the first that calls a program. */
export const net: Kind<Graph> = {
  name: 'net',
  rev: 1,
  compile: (source) => source as unknown as Graph,
  calls: ({ calls }) => (calls === undefined ? [] : [calls]),
  step(x, input) {
    if (input === undefined) listen(x)
    else if (input[0] === 'messages') take(x, input[2])
    else if (input[0] === 'ret') {
      x.set('called', [...((x.get('called') as Json[] | undefined) ?? []), input[3] ?? null])
      listen(x)
    }
  },
}

function listen(x: Step): void {
  x.wait('message', x.def.topic, { stays: true, most: 256 })
}

function take(x: Step, messages: readonly TakenMessage[]): void {
  let events = Number(x.get('events') ?? 0)
  let sum = Number(x.get('sum') ?? 0)
  for (const [i, [, body]] of messages.entries()) {
    const event: Event = isObject(body) ? body : {}
    if (event.stop !== true) {
      events++
      sum = (sum + pass(x.def.nodes, Number(event.amount ?? 0))) % 65_521
    }
    if (event.stop !== true && event.dispatch !== true) continue
    x.took(i + 1)
    if (event.stop === true) x.done({ events, sum, called: x.get('called') ?? null })
    else if (x.def.calls !== undefined) {
      x.drop(...x.waits().map(({ id }) => id))
      x.call(x.def.calls, { isolated: true })
    }
    break
  }
  x.set('events', events)
  x.set('sum', sum)
}

function pass(nodes: number, amount: number): number {
  let value = amount
  for (let node = 1; node < nodes; node++) value = (value * 31 + node) % 65_521
  return value
}
