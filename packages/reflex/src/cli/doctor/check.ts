import type { Mark } from '../../pictures/mark.ts'

/**
 * A result: `done` means that it works, `warns` that it works with a limitation, `failed` that Reflex cannot work,
 * `skipped` that it is absent.
 */
export interface Check {
  readonly name: string
  readonly mark: Extract<Mark, 'done' | 'warns' | 'failed' | 'skipped'>
  readonly text: string
  /** The command, or the words, that solve the problem. */
  readonly fix?: string | undefined
}
