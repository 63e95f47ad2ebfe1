import { faults } from '../runs/faults.ts'
import { causeOf, type Host, isFault } from '../kernel/index.ts'
import { importWithin } from '../programs/read-module.ts'
import type { Tool } from '../tools/index.ts'

/**
 * Returns the tools that a module exports, alone or in lists; empty if it exports none. An import runs the module, so only
 * modules that the operator named are imported. Throws `R1026` if the import fails.
 */
export async function exportedTools(file: string, host: Pick<Host, 'now' | 'at'>): Promise<readonly Tool[]> {
  try {
    const exports = await importWithin(file, host)
    return Object.values(exports)
      .flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [value]))
      .filter(isTool)
  } catch (thrown) {
    if (isFault(thrown)) throw thrown
    const fix = 'correct the module, or put it there if it is missing'
    throw faults.make('R1026', `${file} cannot be loaded`, { file, cause: causeOf(thrown), fix })
  }
}

function isTool(value: unknown): value is Tool {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    'leaves' in value &&
    'run' in value &&
    typeof value.run === 'function'
  )
}
