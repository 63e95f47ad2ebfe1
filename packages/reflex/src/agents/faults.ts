import { defineFaults } from '../kernel/index.ts'

const DURING = 'during a run'

/** The agents' part of the catalogue: deciding at a workflow node (R2100 to R2149). */
export const faults = defineFaults({
  R2100: {
    title: 'The spec of a node cannot be followed',
    verdict: 'wait',
    when: DURING,
    means:
      'Whoever decides at the node reads its "spec" and found something there that means nothing. An attribute that was ignored would be a decision that nobody made. Nothing was done at the node.',
    often: 'a misspelt attribute, an attribute of another agent',
    fix: 'Correct the attribute named; `reflex validate` shows all of them before a run.',
  },
  R2101: {
    title: 'No agent has this name',
    verdict: 'wait',
    when: DURING,
    means:
      'The name comes from the node, from the workflow, or from --agent, in this order. There are rules, tool, person and model, and those that the host registers.',
    often: 'a misspelling, a file of decisions that was not given',
    fix: 'Name an agent that is there.',
  },
  R2102: {
    title: 'No edge is open',
    verdict: 'wait',
    when: DURING,
    means: 'The node has ways out and every one of them is closed by its guard, so nobody could decide anything.',
    often: 'a board key that is written under another name, guards that leave a case out',
    fix: 'Add an edge for this case, or correct the guards named.',
  },
  R2103: {
    title: 'No edge has this name',
    verdict: 'wait',
    when: DURING,
    means: 'An edge is named by its id, its event, or the node that it leads to. The node has no such edge.',
    often: 'a misspelling, an edge of another node',
    fix: 'Name an edge of the node.',
  },
  R2104: {
    title: 'The edge chosen is closed',
    verdict: 'wait',
    when: DURING,
    means: 'The edge is there and its guard says no, on what the board held before this decision.',
    often: 'a guard on a key that this very node writes',
    fix: 'Choose an open edge, or change the guard.',
  },
  R2105: {
    title: 'Several edges have this name',
    verdict: 'wait',
    when: DURING,
    means: 'Two open edges have the same event or lead to the same node, and the choice does not say which is meant.',
    fix: 'Name the edge by its id.',
  },
  R2106: {
    title: 'Nothing says which edge to take',
    verdict: 'wait',
    when: DURING,
    means: 'More than one edge is open, and no rule of the node applies.',
    often: 'a node that a model or a person should decide, rules that leave a case out',
    fix: 'Add a last rule without "when", an "ask", or let somebody decide: --agent NODE=person.',
  },
  R2110: {
    title: 'A value is not on the board',
    verdict: 'wait',
    when: DURING,
    means: 'A template, an argument or an action reads a path that leads to nothing. What is missing is never taken for empty text.',
    often: 'a misspelt key, a node that was expected to run before',
    fix: 'Correct the path; for a value that may be missing write {"from": "path", "else": value} or a section {{#path}}…{{/path}}.',
  },
  R2111: {
    title: 'A value has another shape than the action needs',
    verdict: 'wait',
    when: DURING,
    means: 'Classifying needs a list, extracting needs text or a list of texts.',
    often: 'a path that ends one step too early or too late',
    fix: 'Name the list or the text itself.',
  },
  R2112: {
    title: 'Matching takes too many steps',
    verdict: 'wait',
    when: DURING,
    means:
      'Each search takes time in proportion to its text and to its pattern. Together these were more than one action may take, so matching stopped after a fixed number of steps.',
    often: 'a text of megabytes, many large patterns, a pattern such as a.*b|a that reads on to the end for each of its matches',
    fix: 'Match less text in one action, or write shorter patterns.',
  },
  R2113: {
    title: 'An action makes too much',
    verdict: 'wait',
    when: DURING,
    means: 'What a node writes goes onto the board and into the journal, so actions are limited.',
    fix: 'Take fewer items, or shorter texts.',
  },
  R2114: {
    title: 'The answer leads nowhere',
    verdict: 'wait',
    when: DURING,
    means: 'The question was answered, and no edge that is open now belongs to the answer.',
    often: 'options that name no edge at a node with several',
    fix: 'Give each option the "event" of an edge.',
  },
  R2120: {
    title: 'A script of decisions cannot be used',
    verdict: 'fail',
    when: 'before a run',
    means:
      'A script is one JSON object: the id of a node, and a decision or a list of decisions in their order. A decision is the name of an edge, or {"go", "writes", "because"}, {"suspend"} or {"complete": true}.',
    fix: 'Write {"decide": "FULL", "approve": [{"go": "YES", "writes": {"by": "ana"}}]}.',
  },
  R2121: {
    title: 'A script of decisions has run out',
    verdict: 'wait',
    when: DURING,
    means: 'The node was decided as often as its list has entries, and now once more.',
    fix: 'Add a decision to the list.',
  },
  R2122: {
    title: 'A rule of a node never applies',
    verdict: 'fail',
    severity: 'warning',
    when: 'before a run',
    means: 'The first rule all of whose conditions hold is used. No board lets this one be used.',
    often: 'two conditions that contradict each other, a rule without "when" that does not stand last',
    fix: 'Correct its conditions, move it further up, or remove it.',
  },
  R2123: {
    title: 'Two options of a question have one name',
    verdict: 'fail',
    severity: 'warning',
    when: 'before a run',
    means: 'An answer names an option by its value, and the first option of that value counts. The other can never be chosen.',
    fix: 'Give one of them another "value", or remove it.',
  },
  R2124: {
    title: 'The default of a question never counts',
    verdict: 'fail',
    severity: 'warning',
    when: 'before a run',
    means: '"otherwise" is the answer that counts when none came before "due". Without "due" the question waits for ever.',
    fix: 'Write "due", such as "3d", or remove "otherwise".',
  },
})
