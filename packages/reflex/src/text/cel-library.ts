import type * as Library from '@bufbuild/cel'
import { createRequire } from 'node:module'

let library: typeof Library | undefined

/** The library of CEL, read when the first expression or pattern comes: that takes longer than all else that a command reads. */
export function cel(): typeof Library {
  library ??= createRequire(import.meta.url)('@bufbuild/cel') as typeof Library
  return library
}
