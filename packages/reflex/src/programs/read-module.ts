import { pathToFileURL } from 'node:url'
import { type Host, isFault, thrownMessage } from '../kernel/index.ts'
import { programFaults } from './faults.ts'
import type { ReadContext, Reader, ReadResult } from './language.ts'

/** The time limit in milliseconds for the import of a module. */
const LOAD_TIMEOUT_MS = 10_000

/**
 * Returns the fix for a module that Node cannot load. For an ES module that Node reads as CommonJS, it is the setting that
 * changes this.
 */
function importFix(file: string, cause: unknown): string {
  const isCommonJs = cause instanceof SyntaxError && /outside a module|Unexpected token 'export'/.test(cause.message)
  if (isCommonJs) return 'npm pkg set type=module, since Node takes the file for CommonJS'
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && file.endsWith('.ts')) return 'install Node 22.18 or newer, which loads TypeScript'
  return 'correct the module, so that it can be imported'
}

/** Reads the program that a module exports. Throws `R1023` for a module that cannot be loaded, or that does not export exactly one. */
export async function readModule(file: string, reader: Reader, host: Pick<Host, 'now' | 'at'>, context: ReadContext): Promise<ReadResult> {
  let exports: Record<string, unknown>
  try {
    exports = await importWithin(file, host)
  } catch (cause) {
    if (isFault(cause)) throw cause
    const [why = ''] = thrownMessage(cause).split('\n', 1)
    throw programFaults.make('R1023', `${file} cannot be loaded: ${why}`, { file, cause, fix: importFix(file, cause) })
  }
  const read = await Promise.all(Object.values(exports).map(async (value) => reader.accept?.(value, file, context)))
  const all = read.filter((result) => result !== undefined)
  // A program that is included in another one is part of it.
  const bundled = new Set(all.flatMap(({ program }) => program?.callees?.map(({ source }) => source) ?? []))
  const found = all.filter(({ program }) => program === undefined || !bundled.has(program.source))
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  throw programFaults.make('R1023', `${file} exports ${found.length === 0 ? 'no program' : `${found.length} programs`}`, { file })
}

/** Imports a module with a time limit. A module that waits forever at its top level would end the process without a message. */
export async function importWithin(file: string, host: Pick<Host, 'now' | 'at'>): Promise<Record<string, unknown>> {
  let cancelTimer = (): void => undefined
  const timeout = new Promise<never>((_, reject) => {
    cancelTimer = host.at(host.now() + LOAD_TIMEOUT_MS, () => {
      reject(
        programFaults.make('R1023', `${file} is not loaded after ${LOAD_TIMEOUT_MS / 1000} s`, {
          file,
          fix: 'let it wait for nothing at its top level',
        }),
      )
    })
  })
  try {
    return await Promise.race([import(pathToFileURL(file).href) as Promise<Record<string, unknown>>, timeout])
  } finally {
    cancelTimer()
  }
}
