import { constants } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { digest } from '../kernel/index.ts'
import { makeFolder } from './make-folder.ts'
import type { FullOutput } from './process.ts'
import { systemCode, systemFault } from './refusals.ts'
import type { ToolCall } from './tool.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants

/** The most bytes of the output and of the errors, each, that are stored as files. */
export const MOST_KEPT = 16_000_000

/** A file with the full content of one output of a command. */
export type KeptOutput = {
  readonly path: string
  readonly bytes: number
  /** The SHA-256 as hexadecimal digits. */
  readonly sha256: string
  /** True if the output was longer than the most that is stored. */
  readonly cut?: true
}

/** The files of a command whose outputs are longer than its result. */
export type KeptOutputs = { readonly stdout?: KeptOutput; readonly stderr?: KeptOutput }

/**
 * Writes the outputs of a command into the folder of its stage, as `stdout.txt` and `stderr.txt`, after the command has
 * ended. Secrets are removed first, as in a record. An entry that the command created under such a name is replaced,
 * even a folder, and links are not followed. Throws `R4105`, `R4106`, `R4107` or `R4112` if a file cannot be written.
 */
export async function keepFullOutput(
  stage: string,
  full: FullOutput,
  redact: ((text: string) => string) | undefined,
  call: ToolCall,
): Promise<KeptOutputs> {
  const kept: Record<string, KeptOutput> = {}
  for (const name of ['stdout', 'stderr'] as const) {
    const output = full[name]
    if (output === undefined) continue
    const text = redact?.(output.text) ?? output.text
    const path = await writeWhole(join(stage, `${name}.txt`), text, call)
    kept[name] = { path, bytes: Buffer.byteLength(text), sha256: digest(text), ...(output.cut ? { cut: true } : {}) }
  }
  return kept
}

/** Writes a whole file, replacing an entry of its name. Missing folders are created, links are not followed. Returns its real path. */
export async function writeWhole(target: string, content: string | Uint8Array, call: ToolCall): Promise<string> {
  try {
    await using folder = await makeFolder(target, call)
    const file = join(folder.anchoredPath, basename(target))
    await rm(file, { recursive: true, force: true })
    const handle = await open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666)
    try {
      await handle.writeFile(content)
    } finally {
      await handle.close()
    }
    return join(folder.realPath, basename(target))
  } catch (thrown) {
    throw systemCode(thrown) === undefined ? thrown : systemFault(thrown, 'file', target, call)
  }
}
