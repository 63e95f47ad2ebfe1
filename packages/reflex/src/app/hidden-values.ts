import { createHmac } from 'node:crypto'
import { canonicalJson, type Json } from '../kernel/index.ts'
import { type GrowingRedaction, sealedValues, secretTexts } from '../policy/index.ts'
import { once, quote } from '../text/index.ts'
import { faults, type HiddenValues } from '../tools/index.ts'
import type { SharedOptions } from './options.ts'
import type { Surroundings } from './host.ts'

/** What hidden values are read with. */
interface HiddenSources {
  readonly secretOf: SharedOptions['secretOf']
  readonly surroundings: Surroundings
  /** Gets every value that was hidden, so that no record has it where a tool or an error repeats it. */
  readonly known: GrowingRedaction
}

const VARIABLE = 'env://'

/**
 * Returns the secrets and sealed values of a host. A secret is read when a tool gets it, from the application, or from the variable of
 * `env://NAME`; values are sealed with a key that only this user has.
 */
export function hiddenValues({ secretOf, surroundings, known }: HiddenSources): HiddenValues {
  const { environment, seal, host } = surroundings
  // Without a secret of the user, only this process can open what it has sealed.
  const sealed = sealedValues(() => Buffer.from(seal?.('sealed values of this user') ?? host.entropy() + host.entropy()))
  const keep = (value: Json): void => {
    if (typeof value === 'string') for (const text of secretTexts(value)) known.add(text)
  }
  return {
    async secretOf(name) {
      const value = await readSecret(name, secretOf ?? ((one) => variableOf(one, environment)))
      if (!known.add(value)) throw missing(`the secret ${quote(name)} has fewer than 8 characters`)
      keep(value)
      return value
    },
    open(text) {
      const value = sealed.open(text)
      if (value === undefined) throw missing('a sealed value was not sealed by this user, or was changed')
      keep(value)
      return value
    },
    seal(value) {
      keep(value)
      return sealed.seal(value)
    },
  }
}

/** Returns hashes of contents, as 64 hexadecimal digits: who does not have the key of this user cannot find a content by trying. */
export function contentDigest({ seal, host }: Pick<Surroundings, 'seal' | 'host'>): (value: Json) => string {
  const key = once(() => seal?.('hashes of contents of this user') ?? host.entropy() + host.entropy())
  return (value) => createHmac('sha256', key()).update(canonicalJson(value)).digest('hex')
}

/** What the source throws is not quoted: it can have the value. */
async function readSecret(name: string, read: NonNullable<SharedOptions['secretOf']>): Promise<string> {
  let value: unknown
  try {
    value = await read(name)
  } catch (thrown) {
    throw missing(`the secret ${quote(name)} cannot be read (${thrown instanceof Error ? thrown.name : typeof thrown})`)
  }
  if (typeof value === 'string' && value !== '') return value
  throw missing(`there is no secret ${quote(name)}`)
}

function variableOf(name: string, environment: Surroundings['environment']): string | undefined {
  return name.startsWith(VARIABLE) ? environment[name.slice(VARIABLE.length)] : undefined
}

function missing(message: string): Error {
  return faults.make('R4146', message)
}
