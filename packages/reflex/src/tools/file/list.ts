import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { count, filePath, namedArguments, withDefault, texts, word } from '../arguments.ts'
import { fsCapability } from '../capability.ts'
import { type OpenFolder, openFolder } from '../open-folder.ts'
import { absolutePath, readCapability, realPath, shownPath } from '../paths.ts'
import { requireAccess, systemFault } from '../refusals.ts'
import { defineTool, type Tool, type ToolCall } from '../tool.ts'

const DEFAULT_SKIP = ['.git', '.reflex', 'node_modules']

type Entry = {
  readonly path: string
  readonly type: 'file' | 'folder' | 'link' | 'other'
  readonly bytes?: number
}

interface ListState {
  readonly call: ToolCall
  readonly skip: ReadonlySet<string>
  readonly limit: number
  readonly entries: Entry[]
  truncated: boolean
}

/**
 * Lists a folder, and the folders in it to a depth: `{path, entries: [{path, type, bytes?}], truncated}`, sorted by
 * name.
 */
export const fileList = (home?: string): Tool =>
  defineTool({
    name: 'file.list',
    description: `Lists a folder below the work folder. depth: the number of levels. skip: names to leave out (default: ${DEFAULT_SKIP.join(', ')}). Links are listed and not followed.`,
    leaves: false,
    repeat: 'free',
    input: namedArguments({
      path: withDefault(filePath(home), '.'),
      in: withDefault(word('work', 'run'), 'work'),
      depth: withDefault(count(1, 64), 1),
      limit: withDefault(count(1, 20_000), 1000),
      skip: withDefault(texts('a list of names'), DEFAULT_SKIP),
    }),
    needs: (args, place) => [readCapability(args.path, args.in, place)],
    async run(args, call) {
      const state: ListState = { call, skip: new Set(args.skip), limit: args.limit, entries: [], truncated: false }
      const path = absolutePath(args.path, args.in, call)
      requireAccess('read', realPath(path), call)
      await using folder = await openFolder(realPath(path), path, call)
      requireAccess('read', folder.realPath, call)
      await list(folder, '', args.depth, state)
      return { path: shownPath(folder.realPath, call), entries: state.entries, truncated: state.truncated }
    },
    says: (args, { entries }) => `${args.path}, ${entries.length === 1 ? '1 entry' : `${entries.length} entries`}`,
  })

async function list(folder: OpenFolder, prefix: string, depth: number, state: ListState): Promise<void> {
  for (const entry of await entriesOf(folder, state)) {
    if (state.skip.has(entry.name)) continue
    if (state.entries.length >= state.limit) {
      state.truncated = true
      return
    }
    const name = prefix + entry.name
    const type = typeOf(entry)
    const size =
      type === 'file'
        ? await lstat(join(folder.anchoredPath, entry.name)).then(
            (stats) => stats.size,
            () => undefined,
          )
        : undefined
    state.entries.push({ path: name, type, ...(size === undefined ? {} : { bytes: size }) })
    if (type === 'folder' && depth > 1) await descend(folder, entry.name, `${name}/`, depth - 1, state)
  }
}

/** Lists an inner folder if the policy grants it; skips a folder that was removed or replaced by a link meanwhile. */
async function descend(folder: OpenFolder, name: string, prefix: string, depth: number, state: ListState): Promise<void> {
  const { call } = state
  const inner = await openFolder(join(folder.anchoredPath, name), join(folder.realPath, name), call).catch(() => undefined)
  if (inner === undefined) return
  await using opened = inner
  if (call.allows(fsCapability('read', opened.realPath))) await list(opened, prefix, depth, state)
}

async function entriesOf(folder: OpenFolder, { call }: ListState): Promise<readonly Dirent[]> {
  call.signal.throwIfAborted()
  try {
    const entries = await readdir(folder.anchoredPath, { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (thrown) {
    throw systemFault(thrown, 'folder', folder.realPath, call)
  }
}

function typeOf(entry: Dirent): Entry['type'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}
