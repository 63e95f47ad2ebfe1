import { languageModel } from '../dialects/language-model.ts'
import { type Fields, fieldsOf, without } from '../dialects/loose.ts'
import { faults } from '../session/faults.ts'
import { type AnyFunction, cannotIntercept } from '../session/intercept.ts'
import { quote } from '../../text/index.ts'
import { keptFailure, revivedFailure } from './model-failures.ts'
import { askFunction, type StreamFunctionForm, streamFunction } from './functions.ts'
import { isStandIn, standIn } from './stand-in.ts'

/** The versions of the interface whose requests and replies the dialect reads. */
const VERSIONS = ['v2', 'v3', 'v4']

const FORM = { dialect: languageModel, signal: 'abortSignal', kept: keptFailure, revived: revivedFailure }

const STREAM_FORM: StreamFunctionForm = {
  ...FORM,
  read: (given) => ({ chunks: fieldsOf(given)['stream'] as ReadableStream<unknown>, beside: without(given, 'stream') }),
  write: ({ chunks, beside }) => ({ ...beside, stream: ReadableStream.from(chunks) }),
  chunk: withDate,
}

/** Returns an object of the record with its time as the interface has it. */
function withDate(json: Fields): Fields {
  const { timestamp } = json
  return typeof timestamp === 'string' ? { ...json, timestamp: new Date(timestamp) } : json
}

/**
 * Returns a model of the AI SDK's interface whose calls belong to the turn of their caller. Throws `R2150` for a value that is no such object,
 * with `fix` for the name of one, and `R2160` for one of an unknown version.
 */
export function wrapLanguageModel(model: unknown, { path, fix }: ModelPlace): unknown {
  if (isStandIn(model)) return model
  if (typeof model === 'string')
    throw cannotIntercept(path, `${quote(model)} is the name of a model, which the framework looks up by itself`, fix)
  const { specificationVersion, doGenerate, doStream } = fieldsOf(model)
  if (typeof model !== 'object' || model === null || typeof doGenerate !== 'function' || typeof doStream !== 'function')
    throw cannotIntercept(path, 'it is no object with doGenerate and doStream', fix)
  if (typeof specificationVersion !== 'string' || !VERSIONS.includes(specificationVersion))
    throw faults.make('R2160', `the interface of the model is ${quote(String(specificationVersion))}; known are ${VERSIONS.join(', ')}`, {
      path,
    })
  const ask = askFunction((doGenerate as AnyFunction).bind(model), FORM)
  return standIn(model, {
    doGenerate: async (options) => {
      const reply = fieldsOf(await ask(options))
      return 'response' in reply ? { ...reply, response: withDate(fieldsOf(reply['response'])) } : reply
    },
    doStream: streamFunction((doStream as AnyFunction).bind(model), STREAM_FORM),
  })
}

/** Where a model stands in the settings, and how to give one that can be intercepted. */
export interface ModelPlace {
  readonly path: string
  readonly fix: string
}
