import { languageModel } from '../dialects/language-model.ts'
import { fieldsOf } from '../dialects/loose.ts'
import { faults } from '../session/faults.ts'
import { type AnyFunction, cannotIntercept } from '../session/intercept.ts'
import { quote } from '../../text/index.ts'
import { keptFailure, revivedFailure } from './model-failures.ts'
import { askFunction } from './functions.ts'
import { isStandIn, standIn } from './stand-in.ts'

/** The versions of the interface whose requests and replies the dialect reads. */
const VERSIONS = ['v2', 'v3', 'v4']

const FORM = { dialect: languageModel, signal: 'abortSignal', kept: keptFailure, revived: revivedFailure }

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
  return standIn(model, { doGenerate: askFunction((doGenerate as AnyFunction).bind(model), FORM) })
}

/** Where a model stands in the settings, and how to give one that can be intercepted. */
export interface ModelPlace {
  readonly path: string
  readonly fix: string
}
