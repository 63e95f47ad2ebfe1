import type { Json, JsonObject, Ref } from '../../../kernel/index.ts'
import type { TurnInput } from '../model/turn.ts'
import { without } from './position.ts'
import type { Turn } from './turn.ts'

/** A call of the agent's code that is no call of a model. */
export type ActInput = Extract<TurnInput, { readonly do: 'tool' | 'once' }>

/** Performs a call of the agent's code. */
export function act(turn: Turn, call: ActInput): void {
  const { id } = call
  turn.flight(call.do === 'tool' ? turn.x.request('wrap.tool', toolArgs(call)) : turn.x.request('wrap.once', { id, name: call.name }), id)
}

/**
 * Asks a person about a call of a resumed agent that the record does not have, while it has another one that the code did not make again: to
 * make it could do a thing twice in two ways (design skill 1).
 */
export function askAbout(turn: Turn, call: ActInput): void {
  const { diverged } = call
  const name = call.do === 'tool' ? call.tool : call.name
  const ref = turn.x.wait('answer', 'divergence', {
    about: {
      text: `The resumed agent calls ${name}, which it did not call before, and has not repeated what it did before. Make the call?`,
      type: 'choice',
      options: [
        { value: 'call', label: 'Make the call' },
        { value: 'refuse', label: 'Refuse the call: the agent gets an error' },
      ],
      fault: diverged as Json,
    },
  })
  turn.move({ asked: { ...turn.position.asked, [call.id]: call } })
  turn.flight(ref, call.id)
}

/** Makes or refuses a call that a person was asked about. */
export function decided(turn: Turn, ref: Ref, answer: Json): void {
  const id = turn.landed(ref)
  const call = id === undefined ? undefined : turn.position.asked?.[id]
  if (id === undefined || call === undefined) return
  turn.move({ asked: without(turn.position.asked ?? {}, id) })
  if (answer === 'call') act(turn, call)
  else turn.resolve(id, { ok: false, fault: call.diverged ?? {} })
}

function toolArgs({ id, tool, args, facts, outcome }: Extract<TurnInput, { do: 'tool' }>): JsonObject {
  return {
    id,
    tool,
    args,
    via: 'agent',
    ...(facts === undefined ? {} : { facts: { ...facts } }),
    ...(outcome === undefined ? {} : { outcome }),
  }
}
