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
 * Writes a whole text file or nothing: `{path, bytes, lines}`. Writing the same text twice has the same effect as once,
 * so after a crash the call is repeated under its key. With `append`, the text follows the existing content; doing that
 * twice differs, so after a crash a person is asked.
 */
export const fileWrite = (home?: string): Tool =>
  defineTool({
    name: 'file.write',
    description:
      "Writes a text file into the run's own folder, or with in: work below the work folder. Missing folders are created. The file is written completely or not at all. append: true to add the text to the end of the file.",
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
      if (bytes.length > MOST) throw faults.make('R4108', `${args.path} would have ${bytes.length} bytes; the limit is ${MOST}`)
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

/** Writes a draft beside the file and renames it. A link with the file's name is replaced; its target is not changed. */
async function replace(folder: OpenFolder, name: string, bytes: Uint8Array, call: ToolCall): Promise<void> {
  const target = join(folder.anchoredPath, name)
  const before = await lstat(target).catch(() => undefined)
  if (before?.isDirectory() === true) throw faults.make('R4107', `${shownPath(join(folder.realPath, name), call)} is a folder`)
  const mode = before?.isFile() === true ? before.mode & 0o777 : 0o666
  const draft = join(folder.anchoredPath, `.reflex-${digest(`${call.key}\n${name}`).slice(0, 16)}.tmp`)
  // Only a crash can leave a draft of this same call.
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

/** Writes at the end of a file; a link with its name is not followed. */
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
