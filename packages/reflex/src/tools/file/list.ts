import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { count, filePath, namedArguments, or, texts, word } from '../arguments.ts'
import { fsCapability } from '../capability.ts'
import { type OpenFolder, openFolder } from '../open-folder.ts'
import { absolute, readNeed, realPath, shownPath } from '../paths.ts'
import { demand, systemFault } from '../refusals.ts'
import { defineTool, type Tool, type ToolCall } from '../tool.ts'

const SKIPPED = ['.git', '.reflex', 'node_modules']

type Entry = {
  readonly path: string
  readonly type: 'file' | 'folder' | 'link' | 'other'
  readonly bytes?: number
}

interface Walk {
  readonly call: ToolCall
  readonly skip: ReadonlySet<string>
  readonly limit: number
  readonly entries: Entry[]
  truncated: boolean
}

/** Lists a folder, and folders in it down to a depth: `{path, entries: [{path, type, bytes?}], truncated}`, in order of names. */
export const fileList = (home?: string): Tool =>
  defineTool({
    name: 'file.list',
    description: `Lists a folder below the work folder. depth: how many levels. skip: names that are left out (${SKIPPED.join(', ')} unless said otherwise). Links are named and not followed.`,
    leaves: false,
    repeat: 'free',
    input: namedArguments({
      path: or(filePath(home), '.'),
      in: or(word('work', 'run'), 'work'),
      depth: or(count(1, 64), 1),
      limit: or(count(1, 20_000), 1000),
      skip: or(texts('a list of names'), SKIPPED),
    }),
    needs: (args, place) => [readNeed(args.path, args.in, place)],
    async run(args, call) {
      const walk: Walk = { call, skip: new Set(args.skip), limit: args.limit, entries: [], truncated: false }
      const path = absolute(args.path, args.in, call)
      demand('read', realPath(path), call)
      await using folder = await openFolder(realPath(path), path, call)
      demand('read', folder.real, call)
      await list(folder, '', args.depth, walk)
      return { path: shownPath(folder.real, call), entries: walk.entries, truncated: walk.truncated }
    },
    says: (args, { entries }) => `${args.path}, ${entries.length === 1 ? '1 entry' : `${entries.length} entries`}`,
  })

async function list(folder: OpenFolder, prefix: string, depth: number, walk: Walk): Promise<void> {
  for (const entry of await entriesOf(folder, walk)) {
    if (walk.skip.has(entry.name)) continue
    if (walk.entries.length >= walk.limit) {
      walk.truncated = true
      return
    }
    const name = prefix + entry.name
    const type = typeOf(entry)
    const size =
      type === 'file'
        ? await lstat(join(folder.anchored, entry.name)).then(
            (stats) => stats.size,
            () => undefined,
          )
        : undefined
    walk.entries.push({ path: name, type, ...(size === undefined ? {} : { bytes: size }) })
    if (type === 'folder' && depth > 1) await descend(folder, entry.name, `${name}/`, depth - 1, walk)
  }
}

/** Goes into a folder if the policy grants it; one that is gone or became a link meanwhile is passed over. */
async function descend(folder: OpenFolder, name: string, prefix: string, depth: number, walk: Walk): Promise<void> {
  const { call } = walk
  const inner = await openFolder(join(folder.anchored, name), join(folder.real, name), call).catch(() => undefined)
  if (inner === undefined) return
  await using opened = inner
  if (call.allows(fsCapability('read', opened.real))) await list(opened, prefix, depth, walk)
}

async function entriesOf(folder: OpenFolder, { call }: Walk): Promise<readonly Dirent[]> {
  call.signal.throwIfAborted()
  try {
    const entries = await readdir(folder.anchored, { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (thrown) {
    throw systemFault(thrown, 'folder', folder.real, call)
  }
}

function typeOf(entry: Dirent): Entry['type'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}
