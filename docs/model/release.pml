/*
 * One payout, one bank, one ledger or two, and everything that may go wrong
 * between them. Property: the money goes out at most once (executions that were
 * not returned <= 1), but for what docs/safety.md lists under "What cannot be promised".
 *
 * README.md says what is modelled and what is not. release_test.go runs each switch.
 *
 *   SECOND         the second ledger: NOBODY, INDEPENDENT, COPY, RESTORED
 *   NO_<rule>      one rule is taken out: spin must pay twice
 *   NARROW_<rule>  one rule as its words can be read: spin must pay twice
 *   CANNOT_<what>  one assumption is lifted: spin must pay twice
 *   FALSE_LETTER   the bank's written word may be false
 *
 * People do whatever the rules allow, at the worst moment. Two people are one step.
 */

#define NOBODY      0
#define INDEPENDENT 1   /* B is a ledger of its own, with the same sheet            */
#define COPY        2   /* B is a copy of A, noticed to be one or not; both work     */
#define RESTORED    3   /* B is an older copy of A; A is lost                       */

#ifndef SECOND
#define SECOND NOBODY
#endif

/* ------------------------------------------------------------------ ledgers */

#define LAST 3          /* attempts of the payout in a ledger, each in its own batch */

/* The state of an attempt and of its batch. */
#define NONE        0
#define PLANNED     1
#define INIT_DOUBT  2   /* initiate_unknown                                          */
#define HELD        3
#define REFUSED     4
#define NEVER_SHOWN 5   /* abandoned, and the bank never showed it                   */
#define GIVEN_UP    6   /* abandoned after the bank showed it, or released           */
#define STALLED     7   /* released while the bank showed a value that never ends    */
#define IN_DOUBT    8   /* submit_unknown                                            */
#define SUBMITTED   9   /* known to be with the bank, or paid                        */
#define UNPAID     10   /* failed or returned                                        */
#define LOCKED     11   /* contradicted or restored                                  */

byte state[6];          /* of attempt n of ledger l: state[AT(l, n)]                 */
byte batch[6];          /* its batch id, see ID                                      */
byte latest[2];         /* the number of the latest attempt; 0: nothing is loaded    */
bool asleep;            /* the older copy is not in use yet                          */
bool accepted;          /* B is an accepted copy                                     */
bool again_loaded;      /* it is older than the sheet                                */
bool excused;           /* with a rule taken out: debits no longer count             */

#define AT(l, n)  ((l)*3 + (n) - 1)
#define S(l)      state[AT(l, latest[l])]
#define B(l)      batch[AT(l, latest[l])]

/* The state of the latest attempt of a ledger in use. */
#define IN_USE(l)  (latest[l] > 0 && !((l) == 1 && asleep))
#define T(l)       (IN_USE(l) -> S(l) : NONE)

/* A batch id derives from ledger, attempt and reference: ID(space, n, r), r <= n.
 * Space 0 is A's and its copy's. Space 1 is that of an independent B; or it has the
 * batches of A with other payouts, whose ids no copy derives. */
#define ID(space, n, r)  ((space)*6 + ((n)*((n)-1))/2 + (r) - 1)
#define TRIANGLE(i)      ((i)%6)
#define NUMBER(i)        (TRIANGLE(i) == 0 -> 1 : (TRIANGLE(i) < 3 -> 2 : 3))
#define REF(i)           ((TRIANGLE(i) == 0 || TRIANGLE(i) == 1 || TRIANGLE(i) == 3) -> 1 : (TRIANGLE(i) == 5 -> 3 : 2))

#if SECOND == INDEPENDENT
#define SPACE(l)  (l)
#else
#define SPACE(l)  0
#endif
#if SECOND == RESTORED || defined(CANNOT_OTHER_MEMBERS)
#define OTHER_MEMBERS
#endif
#if SECOND == INDEPENDENT || defined(OTHER_MEMBERS)
#define IDS 12
#else
#define IDS 6
#endif

/* Words of the stories. */
#define NAME(l)  (65 + (l))
#define SAY(l, words)  printf("%c: batch %d, reference R%d: ", NAME(l), latest[l], REF(B(l))); printf(words); printf("\n")
#define TELL(i, words)  printf("bank: batch %d, reference R%d: ", NUMBER(i), REF(i)); printf(words); printf("\n")
#define FREED(l, n, words)  printf("%c: batch %d, reference R%d: ", NAME(l), n, REF(batch[AT(l,n)])); printf(words); printf("; two people release it, with the bank's written word\n")

/* --------------------------------------------------------------------- bank */

/* Of each batch: what is true, what the status says, what the statement shows. */
#define ABSENT      0
#define WAITING     1   /* request_initiated; the bank lists it or not               */
#define UNSEEN      2   /* submitted; neither status nor statement shows it          */
#define UNSEEN_PAID 3   /* paid; the statement shows the debit, the status nothing   */
#define PENDING     4   /* pending, initiated, or a value that is not listed         */
#define SUCCESS     5   /* paid; the statement may not show the debit yet            */
#define NO_MONEY    6   /* failed or returned; every debit came back                 */
#define DEBITED     7   /* failed or returned, says the status; a debit is out       */
#define STUCK       8   /* shown as pending, and never paid                          */

byte at_bank[IDS];
byte way[2];            /* the id + 1 of a submit without an answer; it may arrive   */
byte paid;              /* executions that were not returned                         */
#if IDS == 12
byte sworn;             /* the ledger that has the bank's written word, + 1          */
#endif

byte live;              /* batches that are submitted, and not NO_MONEY or STUCK     */
byte unseen;            /* batches UNSEEN                                            */
byte unseen_paid;       /* batches UNSEEN_PAID                                       */
byte debits;            /* batches UNSEEN_PAID or DEBITED                            */

#define LIVE(s)   (((s) >= UNSEEN && (s) <= SUCCESS) || (s) == DEBITED)
#define DEBIT(s)  ((s) == UNSEEN_PAID || (s) == DEBITED)

inline becomes(i, s) {
	live = live - LIVE(at_bank[i]) + LIVE(s);
	unseen = unseen - (at_bank[i] == UNSEEN) + (s == UNSEEN);
	unseen_paid = unseen_paid - (at_bank[i] == UNSEEN_PAID) + (s == UNSEEN_PAID);
	debits = debits - DEBIT(at_bank[i]) + DEBIT(s);
	at_bank[i] = s
}

inline pay() {
	paid++;
	if
	:: paid > 1 -> printf("bank: the payout is paid twice\n")
	:: else
	fi;
	assert(paid <= 1)
}

#define NEW(i)    (at_bank[i] == ABSENT)
#define IS(i, r)  (REF(i) == (r) && !NEW(i))
#if IDS == 12
#define KNOWN(r)  (IS(0,r) || IS(1,r) || IS(2,r) || IS(3,r) || IS(4,r) || IS(5,r) || IS(6,r) || IS(7,r) || IS(8,r) || IS(9,r) || IS(10,r) || IS(11,r))
#else
#define KNOWN(r)  (IS(0,r) || IS(1,r) || IS(2,r) || IS(3,r) || IS(4,r) || IS(5,r))
#endif

/* What a bank may do or not do, it chooses each time, which is worse than any one
 * bank. One that enforces references never takes one that it knows. */
#if (SECOND == INDEPENDENT && !defined(CANNOT_INDEPENDENT)) || defined(GOOD_BANK)
#define MAY_TAKE(i)  (NEW(i) && !KNOWN(REF(i)))
#else
#define MAY_TAKE(i)  NEW(i)
#endif
#define MAY_REFUSE(i)  (!NEW(i) || KNOWN(REF(i)))

/* Narrower worlds, for stories about something else. */
#ifdef GOOD_BANK         /* refuses each repeat, enforces references                 */
#define MAY_REPEAT  false
#else
#define MAY_REPEAT  true
#endif
#ifdef PROMPT_STATUS     /* the status shows everything at once                      */
#define MAY_LAG  false
#else
#define MAY_LAG  true
#endif
#ifdef ANSWERED          /* no answer is lost                                        */
#define MAY_BE_LOST(l)  false
#else
#define MAY_BE_LOST(l)  (way[l] == 0)
#endif
#ifdef NEVER_FAILS
#define MAY_FAIL  false
#else
#define MAY_FAIL  true
#endif
#ifdef TAKEN_AT_FIRST    /* the copy is made during the first attempt                */
#define MAY_BE_TAKEN  (latest[0] == 1)
#else
#define MAY_BE_TAKEN  true
#endif

/* What has to be possible all the same: with REACH_<what> spin has to find it. */
#define PAID_AT(k)  (paid == 1 && state[k] == SUBMITTED && at_bank[batch[k]] == SUCCESS)
#if defined(REACH_THIRD_ATTEMPT)
#define REACHED  (paid == 1 && (at_bank[3] == SUCCESS || at_bank[4] == SUCCESS || at_bank[5] == SUCCESS))
#elif defined(REACH_RELEASED) /* nobody abandons here */
#define REACHED  (latest[0] == 2 && state[0] == GIVEN_UP && PAID_AT(1))
#elif defined(REACH_STALLED)
#define REACHED  (latest[0] == 2 && state[0] == STALLED && PAID_AT(1))
#elif defined(REACH_NEW_REFERENCES)
#define REACHED  (batch[4] == ID(1,2,2) && NEW(batch[3]) && PAID_AT(4))
#elif defined(REACH_RESTORED)
#define REACHED  (accepted && latest[1] == 2 && PAID_AT(4))
#else
#define REACHED  false
#endif

/* ------------------------------------------------------- what is assumed */

/* People submit at the portal, and a bank pays after all, only while nothing else
 * of the payout is live. The bank keeps its written word about what the ledger that
 * was given it cannot ask for. */
#if IDS == 12
#define KEPT(i)  (sworn > 0 && (SECOND == INDEPENDENT || (i) >= 6))
#else
#define KEPT(i)  false
#endif
#define ALONE(i)  (live == 0 && way[0] == 0 && way[1] == 0 && !KEPT(i))
#ifdef CANNOT_CORRECTED
#define MAY_CORRECT(i)  true
#else
#define MAY_CORRECT(i)  ALONE(i)
#endif
#if defined(CANNOT_PORTAL_AFTER_CHECK)
#define MAY_PORTAL(i)  (ALONE(i) || (live == 0 && (way[0] == (i)+1 || way[1] == (i)+1)))
#elif defined(CANNOT_PORTAL_GIVEN_UP)
#define GIVEN_UP_AT(i, k)  (state[k] == GIVEN_UP && batch[k] == (i))
#define MAY_PORTAL(i)  (GIVEN_UP_AT(i,0) || GIVEN_UP_AT(i,1) || GIVEN_UP_AT(i,2))
#elif defined(SHUT_PORTAL)
#define MAY_PORTAL(i)  false
#else
#define MAY_PORTAL(i)  ALONE(i)
#endif

/* What others submitted before a check is shown by the status, or by the statement
 * where check 4 asks for it. */
#ifdef CANNOT_FIRST_UNSEEN
#define SHOWN(l)  true
#else
#define SHOWN(l)  (unseen_paid == 0 || ASKS_STATEMENT(l))
#endif

/* Of two live copies none checks while the other's submit is on its way. */
#if SECOND == COPY && !defined(CANNOT_RACE)
#define QUIET(l)  (SHOWN(l) && unseen == 0 && way[1-(l)] == 0)

/* A letter to one of two independent ledgers holds for what the other does, too. */
#elif SECOND == INDEPENDENT && !defined(CANNOT_NEW_REFERENCES)
#define QUIET(l)  (SHOWN(l) && sworn != 2-(l))

/* Where a sheet is loaded again after a restore, what the lost ledger submitted of
 * it is shown: by the status of an id that can be derived, or by the statement. */
#elif SECOND == RESTORED && !defined(CANNOT_LOADED_AGAIN)
#define OFF(i)    (!LIVE(at_bank[i]) || DEBIT(at_bank[i]))
#define ALL_SHOWN (way[0] == 0 && unseen == 0 && OFF(6) && OFF(7) && OFF(8) && OFF(9) && OFF(10) && OFF(11))
#define QUIET(l)  (SHOWN(l) && ((l) == 0 || !again_loaded || ALL_SHOWN))

#elif defined(SHOWN_IN_TIME)
#define QUIET(l)  (SHOWN(l) && unseen == 0)
#else
#define QUIET(l)  SHOWN(l)
#endif

/* ------------------------------------------------------------- reading the bank */

/* What is shown counts: a status beyond request_initiated, listed or not. */
#ifdef NO_SHOWN          /* a value that is not listed is taken for nothing          */
#define BEYOND(i)  (at_bank[i] >= SUCCESS && at_bank[i] <= DEBITED)
#else
#define BEYOND(i)  (at_bank[i] >= PENDING)
#endif
#define SAYS_UNPAID(i)  (at_bank[i] == NO_MONEY || at_bank[i] == DEBITED)
#define SAYS_MOVING(i)  (at_bank[i] == PENDING || at_bank[i] == STUCK)

/* The bank's own statement: a debit of the payout that did not come back. A file is
 * not modelled: it never ends a lock. */
#if defined(CANNOT_SHOW_IN_TIME)
#define DEBIT_SHOWN(l)  false
#elif defined(PROMPT_STATEMENT) /* for stories: it shows everything at once          */
#define DEBIT_SHOWN(l)  (paid > 0)
#elif defined(NARROW_SINCE_SUBMIT) /* only of attempts that this ledger submitted    */
#define SENT_AT(k)      (state[k] >= IN_DOUBT && DEBIT(at_bank[batch[k]]))
#define DEBIT_SHOWN(l)  (SENT_AT(AT(l,1)) || (latest[l] > 1 && SENT_AT(AT(l,2))) || (latest[l] > 2 && SENT_AT(AT(l,3))))
#else
#define DEBIT_SHOWN(l)  (debits > 0 && !excused)
#endif

/* ------------------------------------------------------------------- locks */

/* The locks of an attempt on record. in_flight is in the steps: each starts from
 * the one state that it may start from. debited and possible_debit: DEBIT_SHOWN. */
#ifdef NO_IN_DOUBT
#define LOCK(k)  (state[k] == LOCKED)
#else
#define LOCK(k)  (state[k] == LOCKED || state[k] == IN_DOUBT)
#endif
#define LOCKS(l)  (LOCK(AT(l,1)) || (latest[l] > 1 && LOCK(AT(l,2))) || (latest[l] > 2 && LOCK(AT(l,3))))

/* --------------------------------------------------- the checks before a submit */

/* 1: its own batch */
#ifdef NO_CHECK_1
#define CHECK_1(l)  true
#else
#define CHECK_1(l)  (!BEYOND(B(l)))
#endif

/* 2: an earlier attempt is as it was left */
#define CANCELLED(s)  ((s) == REFUSED || (s) == NEVER_SHOWN || (s) == GIVEN_UP)
#define WAS_LEFT(s)   (CANCELLED(s) || (s) == UNPAID || (s) == STALLED)
#ifdef NO_RELEASE_STATUS
#define STILL_STALLED(i)  true
#else
#define STILL_STALLED(i)  SAYS_MOVING(i)
#endif
#define AS_LEFT(k) ( \
	(state[k] == UNPAID && SAYS_UNPAID(batch[k])) || \
	(state[k] == STALLED && STILL_STALLED(batch[k])) || \
	((CANCELLED(state[k]) || state[k] == IN_DOUBT) && !BEYOND(batch[k])))
#ifdef NO_CHECK_2
#define CHECK_2(l)  true
#else
#define CHECK_2(l)  ((latest[l] < 2 || AS_LEFT(AT(l,1))) && (latest[l] < 3 || AS_LEFT(AT(l,2))))
#endif

/* 3: what a copy may have derived. A batch that waits may be not found, so only
 * what is beyond is sure to be seen. Its own ids are left to 1 and 2. */
#define OWN(l, i)  (batch[AT(l,1)] == (i) || (latest[l] > 1 && batch[AT(l,2)] == (i)) || (latest[l] > 2 && batch[AT(l,3)] == (i)))
#define NOT_THERE(l, i)  (OWN(l, i) || !BEYOND(i))
#if defined(NO_CHECK_3) || SECOND == NOBODY || SECOND == INDEPENDENT
#define CHECK_3(l)  true
#elif defined(NARROW_FOUR)     /* two attempts ahead, the same and the next references: four ids */
#define CHECK_3(l)  ( \
	(latest[l] != 1 || !(BEYOND(ID(0,2,1)) || BEYOND(ID(0,2,2)) || BEYOND(ID(0,3,1)) || BEYOND(ID(0,3,3)))) && \
	(latest[l] != 2 || !(BEYOND(ID(0,3,REF(B(l)))) || BEYOND(ID(0,3,3)))))
#elif defined(NARROW_NEXT)     /* next attempts only, with every reference */
#define THIRD  (BEYOND(ID(0,3,1)) || BEYOND(ID(0,3,2)) || BEYOND(ID(0,3,3)))
#define CHECK_3(l)  (latest[l] == 3 || !(THIRD || (latest[l] == 1 && (BEYOND(ID(0,2,1)) || BEYOND(ID(0,2,2))))))
#elif defined(CANNOT_REACH)    /* one attempt ahead: a check ends somewhere */
#define CHECK_3(l)  (latest[l] != 1 || !(BEYOND(ID(0,2,1)) || BEYOND(ID(0,2,2))))
#else
#define CHECK_3(l)  (NOT_THERE(l,0) && NOT_THERE(l,1) && NOT_THERE(l,2) && NOT_THERE(l,3) && NOT_THERE(l,4) && NOT_THERE(l,5))
#endif

/* 4: the bank's own statement, after the first attempt or an accepted copy */
#ifdef ALWAYS_STATEMENT
#define ASKS_STATEMENT(l)  true
#else
#define ASKS_STATEMENT(l)  (latest[l] > 1 || (accepted && (l) == 1))
#endif
#ifdef NO_CHECK_4
#define CHECK_4(l)  true
#else
#define CHECK_4(l)  (!ASKS_STATEMENT(l) || !DEBIT_SHOWN(l))
#endif

#define CHECKS(l)  (!LOCKS(l) && CHECK_1(l) && CHECK_2(l) && CHECK_3(l) && CHECK_4(l) && QUIET(l))

/* ------------------------------------------------------------------- release */

/* The bank's written word: nothing of the payout was or will be paid, under any of
 * its references; what is shown as pending will never be paid. */
#if defined(FALSE_LETTER)
#define LETTER(l, i)  true
#elif defined(NARROW_LETTER)   /* under the references that this ledger knows */
#define NOT_LIVE(l, i)  (!LIVE(at_bank[i]) || (REF(i) > latest[l] && at_bank[i] == PENDING))
#define LETTER(l, i)  (NOT_LIVE(l,0) && NOT_LIVE(l,1) && NOT_LIVE(l,2) && NOT_LIVE(l,3) && NOT_LIVE(l,4) && NOT_LIVE(l,5) && \
	NOT_LIVE(l,6) && NOT_LIVE(l,7) && NOT_LIVE(l,8) && NOT_LIVE(l,9) && NOT_LIVE(l,10) && NOT_LIVE(l,11))
#elif SECOND == INDEPENDENT
#define LETTER(l, i)  (live == (at_bank[i] == PENDING) && way[1-(l)] == 0)
#else
#define LETTER(l, i)  (live == (at_bank[i] == PENDING))
#endif

/* 48 hours: what was submitted has arrived, or never will. */
#ifdef NO_48_HOURS
#define WAITED(l)  true
#elif SECOND == RESTORED
#define WAITED(l)  (way[0] == 0 && way[1] == 0)
#else
#define WAITED(l)  (way[l] == 0)
#endif

#ifdef NO_RELEASE_STATEMENT
#define STATEMENT(l)  true
#else
#define STATEMENT(l)  (!DEBIT_SHOWN(l))
#endif

/* in_flight needs the five days; a refused batch is released for new references. */
#define RELEASABLE(l, n)  (state[AT(l,n)] == IN_DOUBT || state[AT(l,n)] == LOCKED || \
	(latest[l] == n && (state[AT(l,n)] == SUBMITTED || state[AT(l,n)] == REFUSED)))

/* A restored attempt that the bank neither shows nor refuses keeps its reference. */
#define UNHEARD(l, n)  (state[AT(l,n)] == LOCKED && NEW(batch[AT(l,n)]))

inline release(l, n) {
	if
	:: IN_USE(l) && latest[l] >= n && RELEASABLE(l, n) && LETTER(l, batch[AT(l,n)]) && WAITED(l) && STATEMENT(l) ->
#ifdef NO_RELEASE_STATEMENT
		excused = excused || debits > 0;
#endif
#if IDS == 12
		sworn = l+1;
#endif
		if
		:: !BEYOND(batch[AT(l,n)]) && !(UNHEARD(l, n) && !KNOWN(REF(batch[AT(l,n)]))) ->
			d_step { state[AT(l,n)] = GIVEN_UP; FREED(l, n, "nothing shown") }
		:: UNHEARD(l, n) -> d_step { state[AT(l,n)] = NEVER_SHOWN; FREED(l, n, "not found") }
		:: SAYS_UNPAID(batch[AT(l,n)]) -> d_step { state[AT(l,n)] = UNPAID; FREED(l, n, "failed or returned") }
#ifndef NEVER_STALLED
		:: SAYS_MOVING(batch[AT(l,n)]) -> d_step {
				state[AT(l,n)] = STALLED;
#ifndef FALSE_LETTER
				becomes(batch[AT(l,n)], STUCK);
#endif
				FREED(l, n, "five days the same value that is not final")
			}
#elif defined(NO_RELEASE_STATUS)
		:: BEYOND(batch[AT(l,n)]) -> d_step { state[AT(l,n)] = STALLED; FREED(l, n, "nobody reads the status") }
#endif
		fi
	fi
}

/* ------------------------------------------------------------- what a ledger does */

inline plan(l, space, r) {
	batch[AT(l, latest[l]+1)] = ID(space, latest[l]+1, r); /* r may speak of the attempt before */
	S(l) = (CANCELLED(S(l)) -> GIVEN_UP : S(l)); /* how it was cancelled no longer matters */
	latest[l]++;
	S(l) = PLANNED
}

inline plan_again(l, r) {
	if
	:: d_step { plan(l, SPACE(l), r); SAY(l, "planned again") }
#ifdef OTHER_MEMBERS
	:: l == 0 -> d_step { plan(l, 1, r); SAY(l, "planned again, in a batch with other payouts") }
#endif
	fi
}

#define MAY_RETRY(l)  (latest[l] < LAST && !LOCKS(l))

inline ledger(l) {
	if
	/* ---- planned */
	:: T(l) == PLANNED -> d_step { S(l) = NEVER_SHOWN; SAY(l, "a person abandons it before it was sent") }
	:: T(l) == PLANNED ->
		if
		:: MAY_TAKE(B(l)) -> d_step { becomes(B(l), WAITING); S(l) = HELD; SAY(l, "initiated; held") }
#ifndef ANSWERED
		:: MAY_TAKE(B(l)) -> d_step { becomes(B(l), WAITING); S(l) = INIT_DOUBT; SAY(l, "initiated, no answer") }
		:: d_step { S(l) = INIT_DOUBT; SAY(l, "initiate sent, no answer; it never arrives") }
#endif
		:: MAY_REFUSE(B(l)) -> d_step { S(l) = REFUSED; SAY(l, "initiate refused: the bank knows the reference, or the batch") }
		:: !NEW(B(l)) && !BEYOND(B(l)) && MAY_REPEAT -> d_step { S(l) = HELD; SAY(l, "the bank has the batch, as planned; held") }
		:: BEYOND(B(l)) -> d_step { S(l) = SUBMITTED; SAY(l, "the bank has the batch, and it moves; submitted") }
		fi

	/* ---- initiate in doubt */
	:: T(l) == INIT_DOUBT && !NEW(B(l)) && !BEYOND(B(l)) -> d_step { S(l) = HELD; SAY(l, "the status shows it as planned; held") }
	:: T(l) == INIT_DOUBT && BEYOND(B(l)) -> d_step { S(l) = SUBMITTED; SAY(l, "seen moving; submitted") }
	:: T(l) == INIT_DOUBT && !BEYOND(B(l)) -> d_step { S(l) = NEVER_SHOWN; SAY(l, "not shown until doubt.quiet; abandoned") }
	:: T(l) == INIT_DOUBT && !BEYOND(B(l)) && MAY_REFUSE(B(l)) -> d_step { S(l) = REFUSED; SAY(l, "answered no, not shown until doubt.quiet; refused") }

	/* ---- held */
	:: T(l) == HELD && BEYOND(B(l)) -> d_step { S(l) = SUBMITTED; SAY(l, "seen moving; submitted") }
#ifndef REACH_RELEASED
	:: T(l) == HELD && !BEYOND(B(l)) -> d_step { S(l) = GIVEN_UP; SAY(l, "a person abandons it") }
#endif
	:: T(l) == HELD && CHECKS(l) ->
		if
		:: MAY_BE_LOST(l) -> d_step { way[l] = B(l)+1; S(l) = IN_DOUBT; SAY(l, "checked; submit sent, no answer") }
		:: at_bank[B(l)] == WAITING -> d_step { becomes(B(l), PENDING); S(l) = SUBMITTED; SAY(l, "checked; submitted, the bank says pending") }
		:: at_bank[B(l)] > WAITING && MAY_REPEAT -> d_step { S(l) = SUBMITTED; SAY(l, "checked; submitted, though the bank has it already: executed again"); again(B(l)) }
#ifdef CANNOT_REFUSED_AND_DONE
		:: at_bank[B(l)] == WAITING && latest[l] == 1 -> d_step { becomes(B(l), UNSEEN); SAY(l, "checked; submit answered 400, held again; the bank carries it out all the same") }
#endif
		fi

	/* ---- submitted */
	:: T(l) == IN_DOUBT && BEYOND(B(l)) -> d_step { S(l) = SUBMITTED; SAY(l, "seen moving; submitted") }
	:: T(l) == SUBMITTED && SAYS_UNPAID(B(l)) -> d_step { S(l) = UNPAID; SAY(l, "failed or returned, says the status") }

	/* ---- retry, with a new reference only where the bank showed the old one */
	:: MAY_RETRY(l) && (T(l) == UNPAID || T(l) == GIVEN_UP || T(l) == STALLED) -> plan_again(l, latest[l]+1)
	:: MAY_RETRY(l) && (T(l) == REFUSED || T(l) == NEVER_SHOWN) -> plan_again(l, REF(B(l)))
#ifdef NO_IN_DOUBT
	:: MAY_RETRY(l) && T(l) == IN_DOUBT -> plan_again(l, latest[l]+1)
#endif
#ifdef NO_NAMES
	:: MAY_RETRY(l) && T(l) == REFUSED -> plan_again(l, latest[l]+1)
#endif
	fi
}

/* A ledger whose last attempt is over submits no more, so how it ended is dropped:
 * there are fewer states. */
inline over(l) {
	if
	:: latest[l] == LAST && S(l) > HELD ->
		state[AT(l,1)] = NONE; state[AT(l,2)] = NONE; state[AT(l,3)] = NONE;
		batch[AT(l,1)] = 0; batch[AT(l,2)] = 0; batch[AT(l,3)] = 0
	:: else
	fi
}

/* Watch: a sign that differs from how attempt n was left locks it. */
inline watch(l, n) {
#ifdef NO_WATCH
	false
#else
	IN_USE(l) && latest[l] >= n && WAS_LEFT(state[AT(l,n)]) && !AS_LEFT(AT(l,n)) -> state[AT(l,n)] = LOCKED
#endif
}

/* ------------------------------------------------------------- what the bank does */

/* A submit of what the bank has already, executed again. */
inline again(i) {
	if
	:: SAYS_UNPAID(i) -> becomes(i, SUCCESS)
	:: else
	fi;
	pay()
}

inline arrives(l, i) {
	if
	:: at_bank[i] == WAITING -> d_step { becomes(i, PENDING); TELL(i, "the submit arrives; pending"); way[l] = 0 }
	:: at_bank[i] == WAITING && MAY_LAG -> d_step { becomes(i, UNSEEN); TELL(i, "the submit arrives, and the status does not show it"); way[l] = 0 }
	:: at_bank[i] > WAITING && MAY_REPEAT -> d_step { TELL(i, "the submit arrives though it was submitted already: executed again"); again(i); way[l] = 0 }
	:: d_step { TELL(i, "the submit never arrives, or is refused"); way[l] = 0 }
	fi
}

inline bank(i) {
	if
	:: at_bank[i] == UNSEEN -> d_step { becomes(i, PENDING); TELL(i, "the status shows it at last: pending") }
	:: at_bank[i] == UNSEEN -> d_step { becomes(i, UNSEEN_PAID); TELL(i, "paid; the statement may show it, the status does not"); pay() }
	:: at_bank[i] == UNSEEN_PAID -> d_step { becomes(i, SUCCESS); TELL(i, "the status says success at last") }
	:: at_bank[i] == PENDING -> d_step { becomes(i, SUCCESS); TELL(i, "paid"); pay() }
	:: at_bank[i] == PENDING && MAY_FAIL -> d_step { becomes(i, NO_MONEY); TELL(i, "failed") }
	:: at_bank[i] == PENDING && MAY_FAIL && MAY_LAG -> d_step { becomes(i, DEBITED); TELL(i, "failed, says the status; but the money went out, as the statement may show"); pay() }
	:: at_bank[i] == SUCCESS -> d_step { becomes(i, NO_MONEY); TELL(i, "returned"); paid-- }
	:: at_bank[i] == DEBITED -> d_step { becomes(i, NO_MONEY); TELL(i, "the money comes back, a credit on the statement"); paid-- }
	:: at_bank[i] == DEBITED -> d_step { becomes(i, SUCCESS); TELL(i, "the status says success after all") }
	:: at_bank[i] == NO_MONEY && MAY_CORRECT(i) -> d_step { becomes(i, SUCCESS); TELL(i, "paid after all"); pay() }
	:: at_bank[i] == NO_MONEY && MAY_CORRECT(i) && MAY_LAG -> d_step { becomes(i, DEBITED); TELL(i, "paid after all; the statement may show it, the status does not"); pay() }
	:: at_bank[i] == WAITING && MAY_PORTAL(i) -> d_step { becomes(i, PENDING); TELL(i, "submitted at the portal; pending, or a value that is not listed") }
	:: at_bank[i] == WAITING && MAY_PORTAL(i) && MAY_LAG -> d_step { becomes(i, UNSEEN_PAID); TELL(i, "submitted at the portal; paid; the statement may show it, the status does not"); pay() }
	fi
}

/* --------------------------------------------------------------- the second ledger */

inline copy() {
	state[3] = state[0]; state[4] = state[1]; state[5] = state[2];
	batch[3] = batch[0]; batch[4] = batch[1]; batch[5] = batch[2];
	latest[1] = latest[0]
}

/* --accept-restored locks everything that the older copy knew. */
inline accept() {
	accepted = true;
#ifdef NO_RESTORED
	printf("B: --accept-restored, and nothing is locked\n")
#else
	state[3] = (latest[1] > 0 -> LOCKED : NONE);
	state[4] = (latest[1] > 1 -> LOCKED : NONE);
	state[5] = (latest[1] > 2 -> LOCKED : NONE);
	printf("B: --accept-restored; all that it knows is locked\n")
#endif
}

inline restore() {
	asleep = false;
#if IDS == 12
	sworn = 0;
#endif
	state[0] = NONE; state[1] = NONE; state[2] = NONE;
	batch[0] = 0; batch[1] = 0; batch[2] = 0;
	latest[0] = 0;
	printf("B: the older copy takes the place of A\n");
#ifndef NO_MARK          /* nothing says that it is older */
	accept()
#endif
}

active proctype world() {
	atomic {
		latest[0] = 1; state[0] = PLANNED; batch[0] = ID(0,1,1);
#if SECOND == INDEPENDENT
		latest[1] = 1; state[3] = PLANNED; batch[3] = ID(1,1,1);
		printf("A and B: the sheet is loaded; batch 1, reference R1, planned in each\n")
#else
		printf("A: the sheet is loaded; batch 1, reference R1, planned\n")
#endif
	}
end:	do
	:: atomic {
		if
		:: ledger(0)
		:: watch(0, 1) :: watch(0, 2) :: watch(0, 3)
		:: release(0, 1) :: release(0, 2) :: release(0, 3)
		:: way[0] > 0 -> arrives(0, way[0]-1)
#if SECOND != NOBODY
		:: ledger(1)
		:: watch(1, 1) :: watch(1, 2) :: watch(1, 3)
		:: release(1, 1) :: release(1, 2) :: release(1, 3)
		:: way[1] > 0 -> arrives(1, way[1]-1)
#endif
		:: bank(0) :: bank(1) :: bank(2) :: bank(3) :: bank(4) :: bank(5)
#if IDS == 12
		:: bank(6) :: bank(7) :: bank(8) :: bank(9) :: bank(10) :: bank(11)
#endif
#ifdef NO_FILE
		:: debits > 0 && !excused -> excused = true; printf("A: a file shows that the money came back, and ends the lock\n")
#endif
#ifdef CANNOT_EXPLAINED
		:: debits > 0 && !excused -> excused = true; printf("A: two people explain the debit as nobody's\n")
#endif
#if SECOND == COPY
		:: latest[1] == 0 && MAY_BE_TAKEN -> d_step { copy(); printf("B: a copy of A's ledger, with its mark, is taken into use\n") }
#ifndef UNNOTICED        /* for stories: nothing shows that B is a copy               */
		:: latest[1] == 0 && MAY_BE_TAKEN -> d_step { copy(); printf("B: a copy of A's ledger, older than its mark, is taken into use\n"); accept() }
#endif
#elif SECOND == RESTORED
		:: latest[1] == 0 && latest[0] > 0 && latest[0] < LAST && !asleep -> d_step { copy(); asleep = true; printf("A: its ledger is copied away\n") }
		:: latest[1] == 0 && T(0) == PLANNED && latest[0] == 1 && !asleep -> d_step { asleep = true; again_loaded = true; printf("A: its ledger was copied away before the sheet was loaded\n") }
		:: asleep -> d_step { restore() }
		:: again_loaded && !asleep && latest[1] == 0 -> d_step { latest[1] = 1; state[3] = PLANNED; batch[3] = ID(0,1,1); printf("B: the sheet is loaded again\n") }
#endif
		fi;
		assert(!REACHED);
		d_step { over(0); over(1) }
	}
	od
}
