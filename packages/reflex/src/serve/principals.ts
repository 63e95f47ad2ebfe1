import { createHash, timingSafeEqual } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { z } from 'zod'
import { TRUST_LEVELS, type Trust } from '../policy/index.ts'
import { type Principal, SCOPES } from '../programs/route.ts'
import { serveFaults } from '../protocol/faults.ts'

/** A token of a file, as the server keeps it: only its hash. */
export interface TokenHolder extends Principal {
  readonly digest: Uint8Array
  /** The trust of programs that its requests bring. Default: untrusted. */
  readonly trust?: Trust | undefined
  /** False: the inputs, answers and messages of its requests are the operator's. Default: they are text from outside. */
  readonly outside?: boolean | undefined
}

const TOKEN_FILE = z.strictObject({
  tokens: z.array(
    z.strictObject({
      name: z.string().min(1).max(200),
      token: z.string().min(16).optional(),
      sha256: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .optional(),
      scopes: z.array(z.enum(SCOPES)).min(1),
      trust: z.enum(TRUST_LEVELS).optional(),
      outside: z.boolean().optional(),
    }),
  ),
})

/** The tokens that a server accepts. */
export class Principals {
  readonly #holders: readonly TokenHolder[]

  constructor(holders: readonly TokenHolder[]) {
    this.#holders = holders
  }

  /**
   * Returns the holder of the token in an `Authorization` header; undefined if there is none. Every comparison takes the same
   * time, whatever the token is.
   */
  find(authorization: string | undefined): TokenHolder | undefined {
    const [, token] = /^Bearer ([\x21-\x7e]{1,500})$/i.exec(authorization ?? '') ?? []
    if (token === undefined) return undefined
    const digest = digestOf(token)
    let found: TokenHolder | undefined
    for (const holder of this.#holders) if (timingSafeEqual(digest, holder.digest)) found ??= holder
    return found
  }
}

/** Returns the options with which a request of a principal starts, answers and sends: its name, and the source of its values. */
export function sentBy({ name, outside = true }: TokenHolder): { readonly by: string; readonly outside: boolean } {
  return { by: name, outside }
}

/** Returns a token with all scopes, for the person who starts the server. `entropy`: 128 random bits. */
export function newToken(name: string, entropy: string): { readonly token: string; readonly holder: TokenHolder } {
  const token = Buffer.from(entropy, 'hex').toString('base64url')
  return { token, holder: { name, scopes: new Set(SCOPES), digest: digestOf(token) } }
}

/**
 * Reads a file of tokens: `{"tokens": [{"name": "ci", "token": "…", "scopes": ["read", "start"]}]}`; `sha256` may stand for
 * `token`. Throws `R6013` for a file that is not valid, or that others than its owner may read.
 */
export function readTokens(file: string): readonly TokenHolder[] {
  const refuse = (message: string, cause?: unknown): Error => serveFaults.make('R6013', `${file}: ${message}`, { file, cause })
  let text: string
  try {
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
      throw serveFaults.make('R6013', `${file} can be read by others than its owner`, { file, fix: `chmod 600 ${file}` })
    text = readFileSync(file, 'utf8')
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'R6013') throw thrown
    throw refuse('it cannot be read', thrown)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (thrown) {
    throw refuse('it is not JSON', thrown)
  }
  const read = TOKEN_FILE.safeParse(value)
  if (!read.success) {
    const [issue] = read.error.issues
    throw refuse(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it is not valid'}`)
  }
  return read.data.tokens.map(({ name, token, sha256, scopes, trust, outside }) => {
    if ((token === undefined) === (sha256 === undefined)) throw refuse(`the token ${name} has either token or sha256`)
    return {
      name,
      scopes: new Set(scopes),
      trust,
      outside,
      digest: token === undefined ? Buffer.from(sha256 ?? '', 'hex') : digestOf(token),
    }
  })
}

/** True if a holder may make a request of this scope. */
export function mayUse({ scopes }: Principal, scope: (typeof SCOPES)[number]): boolean {
  return scopes.has(scope) || scopes.has('admin')
}

function digestOf(token: string): Uint8Array {
  return createHash('sha256').update(token).digest()
}
