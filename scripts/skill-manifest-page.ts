import type { Json } from '../packages/reflex/src/kernel/index.ts'
import { type FieldRow, fieldRows } from '../packages/reflex/src/kinds/skill/manifest/field-rows.ts'
import { RULES } from '../packages/reflex/src/kinds/skill/manifest/rules.ts'
import { TEMPLATE_RULES } from '../packages/reflex/src/kinds/skill/templates/problem.ts'

/** Every field of the manifest of a skill, and every rule that a manifest can break. */
export function skillManifestPage(): string {
  const rows = fieldRows()
  const areas = [...new Set(rows.map(({ path }) => areaOf(path)))]
  return [
    '# Fields of skills',
    '',
    'A `*.skill.json` is JSON with comments. This page is made from the same table as its reader, its checks and its JSON Schema. A field without',
    'a default is left out or required. `[]` is an entry of a list, `*` an entry of a map. Fields that begin with `x_` are notes, and are ignored.',
    '',
    ...areas.flatMap((area) => [
      `## ${area === '' ? 'The skill' : `\`${area}\``}`,
      '',
      '| field | type | default | what it is |',
      '| --- | --- | --- | --- |',
      ...rows.filter(({ path }) => areaOf(path) === area).map(line),
      '',
    ]),
    '## Rules',
    '',
    'Each problem of a manifest names its rule, its place as a JSON pointer, and a fix. `reflex explain CODE` says more of its code.',
    '',
    '| rule | code |',
    '| --- | --- |',
    ...Object.entries({ ...RULES, ...TEMPLATE_RULES })
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([rule, code]) => `| \`${rule}\` | ${code} |`),
    '',
  ].join('\n')
}

/** The section of a field: its first key, if there are fields below that key. */
function areaOf(path: string): string {
  const [first = '', ...inner] = path.split(/[.[]/)
  return inner.length === 0 ? '' : first
}

function line({ path, type, isRequired, fallback, about }: FieldRow): string {
  return `| \`${path}\` | ${type.replaceAll('|', '\\|')} | ${isRequired ? 'required' : defaultText(fallback)} | ${about.replaceAll('|', '\\|')} |`
}

function defaultText(fallback: Json | undefined): string {
  return fallback === undefined || JSON.stringify(fallback) === '{}' ? '' : `\`${JSON.stringify(fallback)}\``
}
