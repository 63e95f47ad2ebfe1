import { languageModel } from '../dialects/language-model.ts'
import { fieldsOf } from '../dialects/loose.ts'
import { faults } from '../session/faults.ts'
import { type AnyFunction, cannotIntercept } from '../session/intercept.ts'
import { quote } from '../../text/index.ts'
import { askFunction } from './functions.ts'
import { isStandIn, standIn } from './stand-in.ts'

/** The versions of the interface whose requests and replies the dialect reads. */
const VERSIONS = ['v2', 'v3', 'v4']

const FORM = { dialect: languageModel, signal: 'abortSignal' }

/**
 * Returns a model of the AI SDK's interface whose calls belong to the turn of their caller. Throws `R2150` for a value that is no such object,
 * and `R2160` for one of an unknown version.
 */
export function wrapLanguageModel(model: unknown, path: string): unknown {
  if (isStandIn(model)) return model
  if (typeof model !== 'object' || model === null) throw cannotIntercept(path, whyNot(model))
  const { specificationVersion, doGenerate, doStream } = fieldsOf(model)
  if (typeof doGenerate !== 'function' || typeof doStream !== 'function') throw cannotIntercept(path, whyNot(model))
  if (typeof specificationVersion !== 'string' || !VERSIONS.includes(specificationVersion))
    throw faults.make('R2160', `the model has the interface ${quote(String(specificationVersion))}; known are ${VERSIONS.join(', ')}`, {
      path,
    })
  return standIn(model, { doGenerate: askFunction((doGenerate as AnyFunction).bind(model), FORM) })
}

function whyNot(model: unknown): string {
  if (typeof model === 'string') return 'it is the name of a model, which the framework looks up by itself; give the object of the model'
  return 'it is no object with doGenerate and doStream'
}
