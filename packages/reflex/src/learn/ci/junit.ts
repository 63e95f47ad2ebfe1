import type { CaseResult, CiReport } from './test-skill.ts'

/** Returns a report as JUnit XML: a suite for the unit cases and one for the mutated cases. It has no times: those of a test are not real. */
export function junitText(report: CiReport): string {
  const { skill, version, cases } = report
  const suites = (['unit', 'fuzz'] as const).map((sort) =>
    suiteText(
      `${skill}@${version} ${sort}`,
      cases.filter((one) => one.sort === sort),
    ),
  )
  const failures = cases.filter(({ passed }) => !passed).length
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escaped(`${skill}@${version}`)}" tests="${cases.length}" failures="${failures}">`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n')
}

function suiteText(name: string, cases: readonly CaseResult[]): string {
  const failures = cases.filter(({ passed }) => !passed).length
  const lines = cases.map((one) => `    ${caseText(name, one)}`)
  return [`  <testsuite name="${escaped(name)}" tests="${cases.length}" failures="${failures}">`, ...lines, '  </testsuite>'].join('\n')
}

function caseText(suite: string, { name, passed, problems }: CaseResult): string {
  const head = `<testcase classname="${escaped(suite)}" name="${escaped(name)}"`
  if (passed) return `${head}/>`
  return `${head}><failure message="${escaped(problems[0] ?? 'it failed')}">${escaped(problems.join('\n'))}</failure></testcase>`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/** Escapes a text for XML; a character that XML cannot hold becomes U+FFFD. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, (found) => ENTITIES[found] ?? found)
}
