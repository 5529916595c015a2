"""Permission checks, validations and sanitising calls that a change removes."""

from __future__ import annotations

from selfreview.model.issue import Category, Severity
from selfreview.rules.rule import Removal, Rule

RULES = (
    Rule(
        id="removed-access-check",
        severity=Severity.HIGH,
        category=Category.SECURITY,
        message="{name} no longer checks who may call it: the check on this line is gone and none takes its place.",
        suggestion="Keep the check, or show where it is done now.",
        needs=(),
        coded=True,
        where="product",
        bad=(
            Removal(
                "python",
                """
                @login_required  <--
                def delete(request, number):
                    Item.objects.get(id=number).delete()
                """,
                """
                def delete(request, number):
                    Item.objects.get(id=number).delete()
                """,
            ),
            Removal(
                "python",
                """
                def delete(request, number):
                    if not request.user.has_perm("app.delete"):  <--
                        raise PermissionDenied
                    Item.objects.get(id=number).delete()
                """,
                """
                def delete(request, number):
                    Item.objects.get(id=number).delete()
                """,
            ),
            Removal(
                "javascript",
                """
                function routes(app) {
                  app.delete('/items/:id', requireAuth, remove);  <--
                }
                """,
                """
                function routes(app) {
                  app.delete('/items/:id', remove);
                }
                """,
            ),
            Removal(
                "java",
                """
                class Items {
                    @PreAuthorize("hasRole('ADMIN')")  <--
                    void delete(long number) {
                        store.delete(number);
                    }
                }
                """,
                """
                class Items {
                    void delete(long number) {
                        store.delete(number);
                    }
                }
                """,
            ),
            Removal(
                "csharp",
                """
                class Items {
                    [Authorize(Roles = "Admin")]  <--
                    public void Delete(long number) {
                        store.Delete(number);
                    }
                }
                """,
                """
                class Items {
                    public void Delete(long number) {
                        store.Delete(number);
                    }
                }
                """,
            ),
            Removal(
                "go",
                """
                func remove(w http.ResponseWriter, r *http.Request) {
                    if !isAdmin(r) {  <--
                        return
                    }
                    store.Remove(r.FormValue("id"))
                }
                """,
                """
                func remove(w http.ResponseWriter, r *http.Request) {
                    store.Remove(r.FormValue("id"))
                }
                """,
            ),
            Removal(
                "ruby",
                """
                class ItemsController
                  def destroy
                    authorize! :destroy, Item  <--
                    Item.find(params[:id]).destroy
                  end
                end
                """,
                """
                class ItemsController
                  def destroy
                    Item.find(params[:id]).destroy
                  end
                end
                """,
            ),
            Removal(
                "php",
                """
                class Items {
                    public function delete($number) {
                        if (!$this->user->hasPermission('delete')) { abort(403); }  <--
                        $this->store->delete($number);
                    }
                }
                """,
                """
                class Items {
                    public function delete($number) {
                        $this->store->delete($number);
                    }
                }
                """,
            ),
        ),
        good=(
            Removal(
                "python",
                """
                @login_required
                def delete(request, number):
                    Item.objects.get(id=number).delete()
                """,
                """
                @permission_required("app.delete")
                def delete(request, number):
                    Item.objects.get(id=number).delete()
                """,
            ),
            Removal(
                "python",
                """
                @login_required
                def delete(request, number):
                    Item.objects.get(id=number).delete()


                def show(request, number):
                    return Item.objects.get(id=number)
                """,
                """
                def show(request, number):
                    return Item.objects.get(id=number)
                """,
            ),
            Removal(
                "python",
                """
                from django.contrib.auth.decorators import login_required

                def show(request, number):
                    return Item.objects.get(id=number)
                """,
                """
                def show(request, number):
                    return Item.objects.get(id=number)
                """,
            ),
            Removal(
                "python",
                """
                class Delete(View):
                    def post(self, request, number):
                        if not request.user.is_staff:
                            raise Forbidden
                        Item.objects.get(id=number).delete()
                """,
                """
                class Delete(View):
                    def post(self, request, number):
                        Item.objects.get(id=number).delete()

                    def dispatch(self, request, number):
                        if not request.user.is_staff:
                            raise Forbidden
                """,
            ),
        ),
    ),
    Rule(
        id="removed-safety-call",
        severity=Severity.MEDIUM,
        category=Category.SECURITY,
        message="{name} no longer makes its value harmless or checks where it comes from, as this line did.",
        suggestion="Keep the call, or show where it is done now.",
        needs=(),
        coded=True,
        where="product",
        bad=(
            Removal(
                "python",
                """
                def accept(body, signature):
                    if not hmac.compare_digest(sign(body), signature):  <--
                        raise ValueError(signature)
                    store(body)
                """,
                """
                def accept(body, signature):
                    store(body)
                """,
            ),
            Removal(
                "python",
                """
                import html

                def show(name):
                    return f"<b>{html.escape(name)}</b>"  <--
                """,
                """
                from html import escape

                def show(name):
                    return f"<b>{name}</b>"
                """,
            ),
            Removal(
                "javascript",
                """
                function show(text) {
                  node.textContent = sanitizeHtml(text);  <--
                }
                """,
                """
                function show(text) {
                  node.textContent = text;
                }
                """,
            ),
            Removal(
                "php",
                """
                function show($name) {
                    return render(htmlspecialchars($name));  <--
                }
                """,
                """
                function show($name) {
                    return render($name);
                }
                """,
            ),
            Removal(
                "go",
                """
                func accept(body, signature []byte) {
                    if subtle.ConstantTimeCompare(sign(body), signature) != 1 {  <--
                        return
                    }
                    store(body)
                }
                """,
                """
                func accept(body, signature []byte) {
                    store(body)
                }
                """,
            ),
        ),
        good=(
            Removal(
                "python",
                """
                import html

                def show(name):
                    return f"<b>{html.escape(name)}</b>"
                """,
                """
                from markupsafe import escape

                def show(name):
                    return f"<b>{escape(name)}</b>"
                """,
            ),
            Removal(
                "python",
                """
                def save(upload):
                    name = secure_filename(upload.filename)
                    upload.save(FOLDER / name)
                """,
                """
                def save(upload):
                    upload.save(target(upload))


                def target(upload):
                    return FOLDER / secure_filename(upload.filename)
                """,
            ),
            Removal(
                "python",
                """
                def save(upload):
                    upload.save(FOLDER / secure_filename(upload.filename))


                def load(name):
                    return read(name)
                """,
                """
                def load(name):
                    return read(name)
                """,
            ),
        ),
    ),
)
