import { causeOf, isFault, thrownMessage } from '../kernel/index.ts'
import { checkArguments, FUNCTION, listOf, OBJECT, quote, shape, TEXT } from '../text/index.ts'
import { programFaults } from './faults.ts'
import type { AnyKindModule, KindBody, KindModule, LazyKindModule } from './kind-module.ts'

/** The form of the body of a kind. */
export const BODY_FORMS = {
  language: shape('a language', { endings: listOf(TEXT), owns: FUNCTION, format: FUNCTION }),
  view: OBJECT,
  make: FUNCTION,
}

const BODY = shape('the body of a kind', BODY_FORMS)

/** Returns a kind with its body, which it loads if it is not there. Rejects as `loadBody` does. */
export async function wholeKind(module: AnyKindModule): Promise<KindModule> {
  return 'make' in module ? module : { ...module, ...(await loadBody(module)) }
}

/** Loads the body of a kind. Rejects with `R2125` if that fails, and with `R1090` if it gives something else; both name the kind. */
export async function loadBody(module: LazyKindModule): Promise<KindBody> {
  const { name } = module
  const body = await module.load().catch((thrown: unknown) => {
    if (isFault(thrown)) throw thrown
    const message = thrownMessage(thrown)
    throw programFaults.make('R2125', `the kind ${quote(name)} cannot be loaded: ${message}`, {
      cause: causeOf(thrown),
      fix: `correct \`load\` of the kind ${quote(name)}`,
    })
  })
  checkArguments(`load of the kind ${quote(name)}`, { body: [body, BODY] })
  return body
}
