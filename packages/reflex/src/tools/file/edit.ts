import { constants } from 'node:fs'
import { lstat, open, rename, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { digest, isList, isObject, type Json } from '../../kernel/index.ts'
import { type Field, filePath, namedArguments, withDefault, word } from '../arguments.ts'
import { faults } from '../faults.ts'
import { readText } from './read.ts'
import { makeFolder } from '../make-folder.ts'
import type { OpenFolder } from '../open-folder.ts'
import { absolutePath, type Base, counted, readCapability, realTarget, shownPath } from '../paths.ts'
import { requireAccess, refuseSelfRunning, systemCode, systemFault } from '../refusals.ts'
import { writeNeeds } from '../self-running-file.ts'
import { defineTool, type Place, type Tool, type ToolCall } from '../tool.ts'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
const MOST_EDITS = 200
const LARGEST = 4_000_000

/** One change: the whole text of a file, or a text in it that occurs once. */
type Edit = { readonly path: string; readonly content: string } | { readonly path: string; readonly old: string; readonly new: string }

/** A file with its new text, which is stored beside it until all files are ready. */
interface StagedFile {
  readonly shown: string
  readonly folder: OpenFolder
  readonly name: string
  readonly before: string | undefined
  readonly after: string
}

/**
 * Changes files, all of them or none: `{files: [path]}`. Every change is computed and written beside its file before
 * the first file changes. If one file cannot be replaced, the earlier ones are restored.
 */
export const fileEdit = (home?: string): Tool =>
  defineTool({
    name: 'file.edit',
    description:
      "Changes files below the run's own folder, or with in: work below the work folder. edits: a list of {path, content}, where content is the whole text, or {path, old, new}, where old occurs in the file exactly once. All changes are made or none.",
    leaves: true,
    repeat: 'keyed',
    repeats: ({ edits }) => (edits.some((edit) => 'old' in edit) ? 'ask' : 'keyed'),
    input: namedArguments({ edits: editsField(home), in: withDefault(word('run', 'work'), 'run') }),
    needs: (args, place) => args.edits.flatMap((edit) => needsOf(edit, args.in, place)),
    async run(args, call) {
      const texts = await editedTexts(args.edits, args.in, call)
      const staged: StagedFile[] = []
      try {
        for (const [path, { before, after }] of texts) staged.push(await stage(path, before, after, call))
        await place(staged, call)
        return { files: staged.map(({ shown }) => shown) }
      } finally {
        for (const { folder, name } of staged) {
          await unlink(draftPath(folder, name, call)).catch(() => undefined)
          await folder.close()
        }
      }
    },
    simulates: ({ edits }) => ({ files: [...new Set(edits.map(({ path }) => path))] }),
    says: (_args, { files }) => counted(files.length, 'file'),
  })

function editsField(home: string | undefined): Field<readonly Edit[]> {
  const path = filePath(home)
  return {
    what: `a list of at most ${MOST_EDITS} {path, content} or {path, old, new}`,
    schema: {
      type: 'array',
      items: {
        type: 'object',
        properties: { path: { type: 'string' }, content: { type: 'string' }, old: { type: 'string' }, new: { type: 'string' } },
        required: ['path'],
      },
    },
    read(value) {
      const edits = (isList(value) ? value : []).map((edit) => readEdit(edit, path))
      return edits.length === 0 || edits.length > MOST_EDITS || edits.includes(undefined)
        ? undefined
        : edits.filter((edit) => edit !== undefined)
    },
  }
}

function readEdit(value: Json, field: Field<string>): Edit | undefined {
  if (!isObject(value)) return undefined
  const { content, old, new: next } = value
  const path = field.read(value['path'] ?? null)
  if (path === undefined) return undefined
  if (typeof content === 'string') return { path, content }
  return typeof old === 'string' && old !== '' && typeof next === 'string' ? { path, old, new: next } : undefined
}

function needsOf(edit: Edit, base: Base, place: Place): readonly string[] {
  return [...writeNeeds(edit.path, base, place), readCapability(edit.path, base, place)]
}

/** Returns the text of each file before and after all changes, by real path. Writes nothing. */
async function editedTexts(
  edits: readonly Edit[],
  base: Base,
  call: ToolCall,
): Promise<ReadonlyMap<string, { readonly before: string | undefined; readonly after: string }>> {
  const texts = new Map<string, { readonly before: string | undefined; readonly after: string }>()
  for (const [i, edit] of edits.entries()) {
    const asked = absolutePath(edit.path, base, call)
    refuseSelfRunning(asked, call)
    const target = realTarget(asked)
    requireAccess('write', target, call)
    const known = texts.get(target)
    const before = known === undefined ? await textOf(target, call) : known.before
    const now = known?.after ?? before
    texts.set(target, { before, after: 'content' in edit ? edit.content : replaceText(edit, now, i, call, target) })
  }
  return texts
}

async function textOf(target: string, call: ToolCall): Promise<string | undefined> {
  const stats = await lstat(target).catch(() => undefined)
  if (stats === undefined) return undefined
  return (await readText({ path: target, in: 'work', limit: LARGEST }, call)).text
}

function replaceText(
  edit: { readonly old: string; readonly new: string },
  text: string | undefined,
  i: number,
  call: ToolCall,
  target: string,
): string {
  const shown = shownPath(target, call)
  if (text === undefined) throw faults.make('R4106', `there is no file ${shown} to change`)
  const at = text.indexOf(edit.old)
  const second = at < 0 ? -1 : text.indexOf(edit.old, at + 1)
  if (at < 0 || second >= 0) {
    throw faults.make('R4140', `change ${i + 1}: its old text occurs ${at < 0 ? 'nowhere' : 'more than once'} in ${shown}`, { file: shown })
  }
  return text.slice(0, at) + edit.new + text.slice(at + edit.old.length)
}

async function stage(target: string, before: string | undefined, after: string, call: ToolCall): Promise<StagedFile> {
  const folder = await makeFolder(target, call)
  const name = basename(target)
  const shown = shownPath(join(folder.realPath, name), call)
  try {
    await draft(folder, name, after, before === undefined, call)
    return { shown, folder, name, before, after }
  } catch (thrown) {
    await folder.close()
    throw systemCode(thrown) === undefined ? thrown : systemFault(thrown, 'file', target, call)
  }
}

async function draft(folder: OpenFolder, name: string, text: string, isNew: boolean, call: ToolCall): Promise<void> {
  const mode = isNew ? 0o666 : (await lstat(join(folder.anchoredPath, name))).mode & 0o777
  const path = draftPath(folder, name, call)
  await unlink(path).catch(() => undefined)
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Gives every file its new text. If one fails, restores those that already have it. */
async function place(staged: readonly StagedFile[], call: ToolCall): Promise<void> {
  const done: StagedFile[] = []
  try {
    call.signal.throwIfAborted()
    for (const one of staged) {
      await rename(draftPath(one.folder, one.name, call), join(one.folder.anchoredPath, one.name))
      done.push(one)
    }
    for (const { folder } of staged) await folder.sync()
  } catch (thrown) {
    for (const one of done.reverse()) await restoreFile(one, call)
    throw systemCode(thrown) === undefined ? thrown : systemFault(thrown, 'file', staged[done.length]?.shown ?? '', call)
  }
}

async function restoreFile({ folder, name, before }: StagedFile, call: ToolCall): Promise<void> {
  const target = join(folder.anchoredPath, name)
  if (before === undefined) return unlink(target)
  await draft(folder, name, before, false, call)
  await rename(draftPath(folder, name, call), target)
}

function draftPath(folder: OpenFolder, name: string, call: ToolCall): string {
  return join(folder.anchoredPath, `.reflex-${digest(`${call.key}\n${name}`).slice(0, 16)}.tmp`)
}
