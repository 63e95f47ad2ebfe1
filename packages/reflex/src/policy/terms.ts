import { type Folders, type Pattern, readPattern } from './capability.ts'

/** A capability that is granted until a time, or so many times (reference pipeline 5.2). */
export interface BoundedGrant {
  readonly capability: string
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number
  /** Executions of stages in one run. */
  readonly maxUses?: number
}

/** What stands between a grant and its use: somebody's word, or a count that another one keeps. */
export interface Terms {
  readonly ask?: true
  readonly maxUses?: number
}

/** A grant on terms, ready to be matched. */
export interface TermedGrant extends Terms {
  readonly by: string
  readonly pattern: Pattern
  readonly expiresAt?: number
}

/** A policy file, as far as terms go. */
interface TermedFile {
  readonly file?: string | undefined
  readonly ask?: readonly string[]
  readonly bounded?: readonly BoundedGrant[]
}

/** The grants on terms of some policy files: first those that somebody is asked about, then those that are bounded. */
export function termedGrants(grants: readonly TermedFile[], folders: Folders): readonly TermedGrant[] {
  return grants.flatMap(({ file: by = 'the operator', ask = [], bounded = [] }) => {
    const read = (text: string, terms: Partial<TermedGrant>): TermedGrant[] => {
      const pattern = readPattern(text, folders)
      return 'problem' in pattern ? [] : [{ by, pattern, ...terms }]
    }
    return [...ask.flatMap((text) => read(text, { ask: true })), ...bounded.flatMap(({ capability, ...terms }) => read(capability, terms))]
  })
}

/** Whether a bounded grant still holds. Where nobody knows the time, one that ends has ended. */
export function isCurrent({ expiresAt }: Pick<TermedGrant, 'expiresAt'>, now: (() => number) | undefined): boolean {
  return expiresAt === undefined || (now !== undefined && now() < expiresAt)
}

/** The terms of a grant; nothing if it is granted without any. */
export function termsOf({ ask, maxUses }: TermedGrant): Terms | undefined {
  if (ask === true) return { ask }
  return maxUses === undefined ? undefined : { maxUses }
}
