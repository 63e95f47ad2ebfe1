import { constants } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { digest } from '../kernel/index.ts'
import { makeFolder } from './make-folder.ts'
import type { FullOutput } from './process.ts'
import { systemCode, systemFault } from './refusals.ts'
import type { ToolCall } from './tool.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants

/** Bytes of the output and of the errors, each, that are kept as files. */
export const MOST_KEPT = 16_000_000

/** A file with all that a command has written to one of its outputs. */
export type KeptOutput = {
  readonly path: string
  readonly bytes: number
  /** SHA-256, as hexadecimal digits. */
  readonly sha256: string
  /** There was more than is kept of any command. */
  readonly cut?: true
}

/** The files of a command whose output is longer than its result. */
export type KeptOutputs = { readonly stdout?: KeptOutput; readonly stderr?: KeptOutput }

/**
 * Writes what a command has said into the folder of its stage: `stdout.txt`, `stderr.txt`, once the command has ended. Secrets are
 * taken out first, as in a record. What the command has put under such a name is replaced, also a folder, and no link is followed. Throws the
 * errors of the disk as `R4110` and its like.
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
    const path = await write(join(stage, `${name}.txt`), text, call)
    kept[name] = { path, bytes: Buffer.byteLength(text), sha256: digest(text), ...(output.cut ? { cut: true } : {}) }
  }
  return kept
}

async function write(target: string, text: string, call: ToolCall): Promise<string> {
  try {
    await using folder = await makeFolder(target, call)
    const file = join(folder.anchoredPath, basename(target))
    await rm(file, { recursive: true, force: true })
    const handle = await open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666)
    try {
      await handle.writeFile(text)
    } finally {
      await handle.close()
    }
    return join(folder.realPath, basename(target))
  } catch (thrown) {
    throw systemCode(thrown) === undefined ? thrown : systemFault(thrown, 'file', target, call)
  }
}
