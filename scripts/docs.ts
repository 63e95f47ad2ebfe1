/**
 * Writes what documents take from the code: a page for every error, the commands, the routes of the server, the attributes of pipelines, the
 * nodes of trees, the primitives and clusters of dataflows, the fields of skills. `--check` only says whether they are up to date.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CATALOGUE } from '../packages/reflex/src/protocol/catalogue.ts'
import { commandPages } from '../packages/reflex/src/cli/command-pages.ts'
import type { CatalogueEntry } from '../packages/reflex/src/kernel/index.ts'
import { apiPage } from './api-page.ts'
import { attributesPage } from './attributes-page.ts'
import { dataflowClustersPage } from './dataflow-clusters-page.ts'
import { dataflowPrimitivesPage } from './dataflow-primitives-page.ts'
import { skillManifestPage } from './skill-manifest-page.ts'
import { treeNodesPage } from './tree-nodes-page.ts'

const docs = resolve(import.meta.dirname, '../docs')

function errorPage(code: string, entry: CatalogueEntry): string {
  const lines = [
    `# ${code} · ${entry.title}`,
    '',
    `${entry.severity ?? 'error'}, ${entry.when}${entry.rules === undefined ? '' : ` · ${entry.rules.join(' · ')}`}`,
    '',
    entry.means,
    '',
  ]
  if (entry.often !== undefined) lines.push(`**Often:** ${entry.often}`, '')
  lines.push(`**Fix:** ${entry.fix}`, '')
  return lines.join('\n')
}

function errorIndex(): string {
  const rows = [...CATALOGUE].map(([code, { title, when }]) => `| [${code}](${code}.md) | ${title} | ${when} |`)
  return ['# Errors', '', '`reflex explain CODE` prints a page.', '', '| code | what | when |', '| --- | --- | --- |', ...rows, ''].join(
    '\n',
  )
}

/** Every generated page, by its path below docs. */
export async function generatedPages(): Promise<Map<string, string>> {
  return new Map([
    ...[...CATALOGUE].map(([code, entry]) => [join('errors', `${code}.md`), errorPage(code, entry)] as const),
    [join('errors', 'README.md'), errorIndex()],
    ['api.md', await apiPage()],
    ['commands.md', commandPages()],
    [join('kinds', 'pipeline-attributes.md'), attributesPage()],
    [join('kinds', 'tree-nodes.md'), treeNodesPage()],
    [join('kinds', 'skill-manifest.md'), skillManifestPage()],
    [join('kinds', 'dataflow-primitives.md'), dataflowPrimitivesPage()],
    [join('kinds', 'dataflow-clusters.md'), dataflowClustersPage()],
  ])
}

/** Pages that are missing, differ, or belong to no code any more. */
export async function outdatedPages(): Promise<string[]> {
  const pages = await generatedPages()
  const read = (page: string) => {
    try {
      return readFileSync(join(docs, page), 'utf8')
    } catch {
      return undefined
    }
  }
  const differ = [...pages].filter(([page, text]) => read(page) !== text).map(([page]) => page)
  const left = listed('errors').filter((page) => !pages.has(page))
  return [...differ, ...left]
}

function listed(folder: string): string[] {
  try {
    return readdirSync(join(docs, folder)).map((name) => join(folder, name))
  } catch {
    return []
  }
}

if (import.meta.main) {
  rmSync(join(docs, 'errors'), { recursive: true, force: true })
  mkdirSync(join(docs, 'errors'), { recursive: true })
  for (const [page, text] of await generatedPages()) writeFileSync(join(docs, page), text)
}
