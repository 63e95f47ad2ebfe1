import type { Manifest, ParameterDeclaration } from '../packages/reflex/src/kinds/dataflow/model/manifest.ts'
import { STANDARD_THEMES } from '../packages/reflex/src/kinds/dataflow/primitives/standard.ts'

/** Every built-in primitive of dataflows by theme, from its manifest. */
export function dataflowPrimitivesPage(): string {
  return [
    '# Primitives of dataflows',
    '',
    'The primitives that every dataflow graph can use. A node names one with its version, as in `"impl": "gt@^0.1"`. This page is made from the',
    'same manifests as the checks, the types and the compiled pass.',
    '',
    'A port holds a finite number, a list of such numbers (Series), a Bool or a text. 0 and −0 are one number: a port never holds −0. A result',
    'that is not finite ends the pass with `NonFiniteOutput` (R1371), so no comparison and no gate ever sees NaN.',
    '',
    ...Object.entries(STANDARD_THEMES).flatMap(([theme, primitives]) => [
      `## ${theme}`,
      '',
      '| primitive | version | inputs | outputs | parameters | what it does |',
      '| --- | --- | --- | --- | --- | --- |',
      ...primitives.map(({ manifest }) => line(manifest)),
      '',
    ]),
  ].join('\n')
}

function line({ id, version, inputs, outputs, parameters, about = '' }: Manifest): string {
  const ports = inputs.map(({ name, type, required = true }) => `\`${name}\` ${type}${required ? '' : ', optional'}`)
  const cells = [
    `\`${id}\``,
    version,
    ports.join('<br>'),
    outputs.map(({ name, type }) => `\`${name}\` ${type}`).join('<br>'),
    parameters.map(parameterText).join('<br>'),
    about,
  ]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function parameterText({ name, type, default: usual, bounds }: ParameterDeclaration): string {
  const otherwise = usual === undefined ? 'required' : `default \`${JSON.stringify(usual)}\``
  return `\`${name}\` ${type}, ${bounds === undefined ? '' : `${bounds}, `}${otherwise}`
}
