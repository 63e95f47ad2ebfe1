import { canonicalJson, isFault } from '../kernel/index.ts'
import { faults } from './faults.ts'
import type { PartialReply } from './request.ts'
import type { Model, ModelCall, ModelRequest, ModelTry } from './types.ts'

/** A text, the parts of a reply that matter, or a failure. */
export type ScriptedReply = string | PartialReply | Error

/**
 * A model that says what it is told: replies in their order, or a function of the request. Each try takes one, so an
 * error in the list is a try that failed. Throws `R4020` when the list has run out.
 */
export function scriptedModel(
  replies: readonly ScriptedReply[] | ((request: ModelRequest, call: ModelCall) => ScriptedReply | Promise<ScriptedReply>),
  name = 'scripted',
): Model {
  let next = 0
  return {
    name,
    async generate(request, call) {
      const reply = typeof replies === 'function' ? await replies(request, call) : replies[next++]
      if (reply === undefined)
        throw faults.make(
          'R4020',
          `${name} has ${next - 1} replies and was asked once more${request.label === undefined ? '' : ` by ${request.label}`}`,
          { fix: 'give the script one more reply' },
        )
      if (reply instanceof Error || isFault(reply)) throw reply
      // A script that says nothing of tokens has used none.
      const whole = complete({ usage: { input: 0, output: 0 }, ...(typeof reply === 'string' ? { text: reply } : reply) })
      if (request.stream === true) streamReply(whole, call)
      return whole
    },
  }
}

/** What a written reply leaves out, as it follows from the rest. */
export function complete(reply: PartialReply): ModelTry {
  const { text, object, calls, finish } = reply
  return {
    text: text ?? (object === undefined ? '' : canonicalJson(object)),
    finish: finish ?? (calls === undefined ? 'stop' : 'tools'),
    ...extras(reply),
  }
}

/** The parts of an answer that may be missing, without those that are: a reply is plain JSON. */
export function extras({ calls, reasoning, usage, native, warnings, by }: PartialReply): Omit<ModelTry, 'text' | 'finish'> {
  return {
    ...(calls === undefined ? {} : { calls }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(usage === undefined ? {} : { usage }),
    ...(native === undefined ? {} : { native }),
    ...(warnings === undefined ? {} : { warnings }),
    ...(by === undefined ? {} : { by }),
  }
}

/** A reply that is there at once, told as a stream would have. */
export function streamReply({ text, reasoning, calls }: ModelTry, call: ModelCall): void {
  if (reasoning !== undefined) call.part({ reasoning })
  if (text !== '') call.part({ text })
  if (calls !== undefined) call.part({ calls: calls.map(({ id, name }) => ({ id, name })) })
}
