import { constants } from 'node:fs'
import { lstat, mkdir, open, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { digest } from '../kernel/index.ts'
import { namedArguments, or, path, text, word } from './arguments.ts'
import { faults } from './faults.ts'
import { type OpenFolder, openFolder } from './open-folder.ts'
import { absolute, counted, isThere, lineCount, realPath, realTarget, shownPath, writeNeed } from './paths.ts'
import { demand, systemCode, systemFault } from './refusals.ts'
import { defineTool, type Tool, type ToolCall } from './tool.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
const MOST = 16_000_000

/**
 * Writes a text file as a whole, or not at all: `{path, bytes, lines}`. Writing the same text twice is the same as
 * writing it once, so after a crash it is repeated under its key.
 */
export const fileWrite: Tool = defineTool({
  name: 'file.write',
  description:
    "Writes a text file into the run's own folder, or with in: work below the work folder. Folders on the way are made. The file is there whole or not at all.",
  leaves: true,
  repeat: 'keyed',
  input: namedArguments({ path: path(), text: text(), in: or(word('run', 'work'), 'run') }),
  needs: (args, place) => [writeNeed(args.path, args.in, place)],
  async run(args, call) {
    const bytes = new TextEncoder().encode(args.text)
    if (bytes.length > MOST) throw faults.make('R4108', `${args.path} would have ${bytes.length} bytes, the most is ${MOST}`)
    const target = realTarget(absolute(args.path, args.in, call))
    demand('write', target, call)
    try {
      await using folder = await makeFolder(target, call)
      await replace(folder, basename(target), bytes, call)
      return { path: shownPath(join(folder.real, basename(target)), call), bytes: bytes.length, lines: lineCount(args.text) }
    } catch (thrown) {
      throw systemCode(thrown) !== undefined ? systemFault(thrown, 'file', target, call) : thrown
    }
  },
  says: (args, { lines }) => `${args.path}, ${counted(lines, 'line')}`,
})

/**
 * Opens the folder of a file, making what is missing step by step. Each step is taken from the folder that is open and
 * never through a link, and at each the policy is asked where the file would really come to lie.
 */
async function makeFolder(target: string, call: ToolCall): Promise<OpenFolder> {
  let at = dirname(target)
  const missing: string[] = []
  for (; !isThere(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(basename(at))
  let folder = await openFolder(realPath(at), at, call)
  try {
    demand('write', join(folder.real, ...missing, basename(target)), call)
    for (let i = 0; i < missing.length; i++) {
      const step = join(folder.anchored, missing[i] ?? '')
      await mkdir(step).catch((thrown: unknown) => {
        if (systemCode(thrown) !== 'EEXIST') throw thrown
      })
      const next = await openFolder(step, [folder.real, missing[i]].join(sep), call)
      await folder.close()
      folder = next
      demand('write', join(folder.real, ...missing.slice(i + 1), basename(target)), call)
    }
    return folder
  } catch (thrown) {
    await folder.close()
    throw thrown
  }
}

/** Writes beside the file and renames. A link of the file's name is replaced, what it leads to is left alone. */
async function replace(folder: OpenFolder, name: string, bytes: Uint8Array, call: ToolCall): Promise<void> {
  const target = join(folder.anchored, name)
  const before = await lstat(target).catch(() => undefined)
  if (before?.isDirectory() === true) throw faults.make('R4107', `${shownPath(join(folder.real, name), call)} is a folder`)
  const mode = before?.isFile() === true ? before.mode & 0o777 : 0o666
  const draft = join(folder.anchored, `.reflex-${digest(`${call.key}\n${name}`).slice(0, 16)}.tmp`)
  // A draft of this very call can only be left over from a crash.
  await unlink(draft).catch(() => undefined)
  const handle = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
    await handle.close()
    call.signal.throwIfAborted()
    await rename(draft, target)
    await folder.sync()
  } catch (thrown) {
    await handle.close().catch(() => undefined)
    await unlink(draft).catch(() => undefined)
    throw thrown
  }
}
