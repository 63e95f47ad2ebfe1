import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { digest, isObject } from '../../kernel/index.ts'
import { manifestJson } from '../../kinds/skill/manifest/canonical.ts'
import type { SkillDraft } from '../compile/compile-pattern.ts'

/**
 * What was done with a file. `written`: it is new, or replaces one that learning wrote. `unchanged`: it has this text already. `left`: a person
 * wrote or changed it, so it stays as it is.
 */
export type FileResult = 'written' | 'unchanged' | 'left'

/** A file of a draft, with its path in the folder of drafts. */
export interface DraftFile {
  readonly path: string
  readonly result: FileResult
}

/** Remembers the texts that learning wrote, by their paths: the digest of each. It can be dropped: then all files count as those of people. */
export interface WrittenTexts {
  read(): Promise<string | undefined>
  write(text: string): Promise<void>
}

/** Writes drafts as `ID.skill.json` into a folder, with their cases below it. A file that a person wrote or changed is never replaced. */
export class DraftFolder {
  readonly #folder: string
  readonly #written: WrittenTexts
  readonly #digests: Map<string, string>

  private constructor(folder: string, written: WrittenTexts, digests: Map<string, string>) {
    this.#folder = folder
    this.#written = written
    this.#digests = digests
  }

  static async open(folder: string, written: WrittenTexts): Promise<DraftFolder> {
    return new DraftFolder(folder, written, digestsIn(await written.read()))
  }

  /** Writes the manifest of a draft and its cases. Throws the error of the system for a place that is not writable. */
  async add({ manifest, cases }: SkillDraft): Promise<readonly DraftFile[]> {
    const files = [[`${manifest.id}.skill.json`, manifestJson(manifest)] as const, ...cases]
    const results: DraftFile[] = []
    for (const [path, content] of files) results.push({ path, result: await this.#put(path, `${JSON.stringify(content, null, 2)}\n`) })
    await this.#written.write(JSON.stringify(Object.fromEntries(this.#digests), null, 2))
    return results
  }

  async #put(path: string, text: string): Promise<FileResult> {
    const file = join(this.#folder, path)
    const before = await textOf(file)
    if (before === text) {
      this.#digests.set(file, digest(text))
      return 'unchanged'
    }
    if (before !== undefined && this.#digests.get(file) !== digest(before)) return 'left'
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text, before === undefined ? { flag: 'wx' } : {})
    this.#digests.set(file, digest(text))
    return 'written'
  }
}

function digestsIn(text: string | undefined): Map<string, string> {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return new Map(isObject(value) ? Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string') : [])
  } catch {
    return new Map()
  }
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw thrown
  }
}
