import { isObject, type Json, type JsonObject } from '../../../src/kernel/journal/json.ts'
import type { Kind } from '../../../src/kernel/step/kind.ts'
import type { Port } from '../../../src/kernel/ports/port.ts'
import type { ReturnPair } from '../../../src/kernel/journal/record.ts'
import { textOf } from './text.ts'

/** A node: it asks for a decision, waits for a person, or calls another program before it does. */
interface Node {
  readonly asks?: string
  readonly person?: true
  readonly calls?: string
  readonly map?: readonly ReturnPair[]
  readonly next?: string
}

interface Flow {
  readonly entry: string
  readonly nodes: Readonly<Record<string, Node>>
}

type Step = Parameters<Kind<Flow>['step']>[0]

/** Shaped after the workflow: one counter, one decision per node, lexical calls with a return map, a person's answer. */
export const flow: Kind<Flow> = {
  name: 'flow',
  rev: 1,
  board: { history: true },
  compile: (source) => source as unknown as Flow,
  calls: ({ nodes }) => Object.values(nodes).flatMap(({ calls }) => calls ?? []),
  node: (_, position) => (Array.isArray(position) ? textOf(position[0] as Json) : textOf(position ?? '')),
  step(x, input) {
    switch (input?.[0]) {
      case undefined:
        return x.position === undefined ? enter(x, x.def.entry) : call(x)
      case 'ret':
        x.set(`${nodeId(x)}.ended`, input[2])
        return decide(x)
      case 'ok':
      case 'answer':
        return decided(x, input[2])
      case 'err':
        return void x.wait('answer', 'engine:error', { about: input[2] })
      default:
    }
  },
}

function nodeId(x: Step): string {
  return textOf(x.position ?? '')
}

function nodeOf(x: Step): Node {
  return x.def.nodes[nodeId(x)] ?? {}
}

function enter(x: Step, id: string): void {
  x.go(id)
  if (nodeOf(x).calls === undefined) decide(x)
  else x.again()
}

function call(x: Step): void {
  const { calls = '', map = [] } = nodeOf(x)
  x.call(calls, { map })
}

function decide(x: Step): void {
  const { asks, person } = nodeOf(x)
  if (person) x.wait('answer', nodeId(x))
  else x.request('decide', [asks ?? nodeId(x), [...x.reader().keys()]])
}

function decided(x: Step, value: Json): void {
  for (const [key, item] of Object.entries(isObject(value) ? value : { [nodeId(x)]: value })) x.set(key, item)
  const { next } = nodeOf(x)
  if (next === undefined) return x.done({ last: nodeId(x), keys: x.reader().keys() })
  enter(x, next)
}

/** Decides by what it is asked, and says what it could see. */
export const decidePort: Port = {
  leaves: false,
  repeat: 'free',
  async perform({ args }) {
    const [asked, seen] = args as [string, string[]]
    const answer: JsonObject = { [asked]: `decided on ${seen.length} keys` }
    return answer
  },
}
