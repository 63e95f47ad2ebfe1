import { constants } from 'node:fs'
import { lstat, open, rename, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { digest } from '../../kernel/index.ts'
import { filePath, flag, namedArguments, withDefault, text, word } from '../arguments.ts'
import { faults } from '../faults.ts'
import { makeFolder } from '../make-folder.ts'
import type { OpenFolder } from '../open-folder.ts'
import { absolutePath, counted, lineCount, realTarget, shownPath } from '../paths.ts'
import { requireAccess, wrongKindFault, refuseSelfRunning, systemCode, systemFault } from '../refusals.ts'
import { writeNeeds } from '../self-running-file.ts'
import { defineTool, type Tool, type ToolCall } from '../tool.ts'

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants
const MOST = 16_000_000

/**
 * Writes a text file as a whole, or not at all: `{path, bytes, lines}`. Writing the same text twice is the same as
 * writing it once, so after a crash it is repeated under its key. With `append` the text comes after what the file holds;
 * doing that twice is something else, so after a crash a person is asked.
 */
export const fileWrite = (home?: string): Tool =>
  defineTool({
    name: 'file.write',
    description:
      "Writes a text file into the run's own folder, or with in: work below the work folder. Folders on the way are made. The file is there whole or not at all. append: the text comes after what is there.",
    leaves: true,
    repeat: 'keyed',
    repeats: ({ append }) => (append ? 'ask' : 'keyed'),
    input: namedArguments({
      path: filePath(home),
      text: text(),
      in: withDefault(word('run', 'work'), 'run'),
      append: withDefault(flag(), false),
    }),
    needs: (args, place) => writeNeeds(args.path, args.in, place),
    async run(args, call) {
      const bytes = new TextEncoder().encode(args.text)
      if (bytes.length > MOST) throw faults.make('R4108', `${args.path} would have ${bytes.length} bytes, the most is ${MOST}`)
      const asked = absolutePath(args.path, args.in, call)
      refuseSelfRunning(asked, call)
      const target = realTarget(asked)
      requireAccess('write', target, call)
      try {
        await using folder = await makeFolder(target, call)
        await (args.append ? appendToFile : replace)(folder, basename(target), bytes, call)
        return { path: shownPath(join(folder.realPath, basename(target)), call), bytes: bytes.length, lines: lineCount(args.text) }
      } catch (thrown) {
        throw systemCode(thrown) !== undefined ? systemFault(thrown, 'file', target, call) : thrown
      }
    },
    simulates: ({ path, text: written }) => ({ path, bytes: new TextEncoder().encode(written).length, lines: lineCount(written) }),
    says: (args, { lines }) => `${args.path}, ${counted(lines, 'line')}`,
  })

/** Writes beside the file and renames. A link of the file's name is replaced, what it leads to is left alone. */
async function replace(folder: OpenFolder, name: string, bytes: Uint8Array, call: ToolCall): Promise<void> {
  const target = join(folder.anchoredPath, name)
  const before = await lstat(target).catch(() => undefined)
  if (before?.isDirectory() === true) throw faults.make('R4107', `${shownPath(join(folder.realPath, name), call)} is a folder`)
  const mode = before?.isFile() === true ? before.mode & 0o777 : 0o666
  const draft = join(folder.anchoredPath, `.reflex-${digest(`${call.key}\n${name}`).slice(0, 16)}.tmp`)
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

/** Writes at the end of a file; a link of its name is not followed. */
async function appendToFile(folder: OpenFolder, name: string, bytes: Uint8Array, call: ToolCall): Promise<void> {
  const target = join(folder.anchoredPath, name)
  const isNew = (await lstat(target).catch(() => undefined)) === undefined
  const handle = await open(target, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o666)
  try {
    if (!(await handle.stat()).isFile()) throw wrongKindFault('file', join(folder.realPath, name), call)
    await handle.writeFile(bytes)
    await handle.sync()
    if (isNew) await folder.sync()
  } finally {
    await handle.close()
  }
}
